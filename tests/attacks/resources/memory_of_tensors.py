# Tensors without end.
held = [torch.ones(1 << 20) for _ in range(10000)]
