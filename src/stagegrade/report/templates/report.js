"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 100;
  const byId = (id) => document.getElementById(id);
  const made = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const wanted = { text: byId("wanted-text"), stage: byId("wanted-stage"), verdict: byId("wanted-verdict"),
    cause: byId("wanted-cause"), concern: byId("wanted-concern"), names: byId("hide-names") };
  const words = new Intl.Collator(undefined, { numeric: true });
  let order = { column: "id", down: false };
  let page = 0;

  data.students.forEach((one, index) => { one.number = index + 1; });
  const shownName = (one) => wanted.names.checked ? `student ${one.number}` : one.name ? `${one.name} (${one.id})` : one.id;
  const firstCause = (one) => one.first < 0 ? "" : data.causes[one.causes[one.first]];
  const columns = [
    { key: "id", title: "Student", value: shownName },
    ...data.stages.map((stage, at) => ({ key: `stage ${stage}`, title: stage, at, value: (one) => one.verdicts[at] })),
    { key: "score", title: "Points", value: (one) => one.score, number: true },
    ...(data.timed ? [{ key: "seconds", title: "Seconds", value: (one) => one.seconds ?? -1, number: true }] : []),
    { key: "first", title: "First divergence", value: (one) => `${one.first < 0 ? 99 : one.first} ${firstCause(one)}` },
  ];

  const matches = (one) => {
    const text = wanted.text.value.trim().toLowerCase();
    if (text && !shownName(one).toLowerCase().includes(text)) return false;
    if (wanted.concern.checked && !one.concerns.length) return false;
    const stage = wanted.stage.value === "" ? -1 : Number(wanted.stage.value);
    const fits = (at) => {
      if (wanted.verdict.value && (data.kinds[one.verdicts[at]] || {}).key !== wanted.verdict.value) return false;
      return !wanted.cause.value || data.causes[one.causes[at]] === wanted.cause.value;
    };
    if (!wanted.verdict.value && !wanted.cause.value) {
      // A stage alone: those who are not right in it.
      return stage < 0 || !["correct", "carried"].includes((data.kinds[one.verdicts[stage]] || {}).key);
    }
    return stage < 0 ? data.stages.some((_, at) => fits(at)) : fits(stage);
  };

  const compared = (one, other) => {
    const { value } = columns.find((column) => column.key === order.column);
    const [a, b] = [value(one), value(other)];
    const sign = typeof a === "string" ? words.compare(a, b) : a - b;
    return (order.down ? -sign : sign) || one.number - other.number;
  };

  const verdictCell = (one, at) => {
    const kind = data.kinds[one.verdicts[at]];
    const cell = made("td", { className: `verdict${one.first === at ? " first" : ""}` });
    if (!kind) return cell;
    const cause = data.causes[one.causes[at]];
    const said = `${data.stages[at]}: ${kind.title}${cause && cause !== kind.title ? `: ${cause}` : ""}`;
    const mark = made("span", { title: said }, made("span", { ariaHidden: "true", style: "all: unset" }, kind.mark),
      made("span", { className: "skip", style: "border: none; outline: none" }, said));
    mark.style.borderBottomColor = `var(--${kind.key.replaceAll("_", "-")})`;
    cell.append(mark);
    return cell;
  };

  const rowOf = (one) => {
    const name = one.page && !wanted.names.checked
      ? made("a", { href: one.page }, shownName(one)) : shownName(one);
    const why = one.first < 0 ? (one.concerns[0] || "") : `${data.stages[one.first]}: ${firstCause(one)}`;
    return made("tr", {}, made("th", { scope: "row" }, name),
      ...data.stages.map((_, at) => verdictCell(one, at)),
      made("td", { className: "number" }, `${one.score} of ${one.max}`),
      ...(data.timed ? [made("td", { className: "number" }, one.seconds == null ? "" : one.seconds.toFixed(2))] : []),
      made("td", {}, why));
  };

  const draw = () => {
    const found = data.students.filter(matches).sort(compared);
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages - 1);
    const shown = found.slice(page * PAGE, (page + 1) * PAGE);
    byId("rows").replaceChildren(...shown.map(rowOf));
    byId("count").textContent = `${found.length} of ${data.students.length} students`;
    byId("page").textContent = `page ${page + 1} of ${pages}`;
    byId("before").disabled = page === 0;
    byId("after").disabled = page >= pages - 1;
    for (const heading of byId("heads").children) {
      const sorted = heading.dataset.key === order.column;
      heading.setAttribute("aria-sort", sorted ? (order.down ? "descending" : "ascending") : "none");
      heading.firstChild.textContent = heading.dataset.title + (sorted ? (order.down ? " ▼" : " ▲") : "");
    }
  };

  const fromAddress = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!["stage", "verdict", "cause", "concern"].some((name) => asked.has(name))) return;
    wanted.text.value = "";
    const at = data.stages.indexOf(asked.get("stage"));
    wanted.stage.value = at < 0 ? "" : String(at);
    wanted.verdict.value = asked.get("verdict") || "";
    wanted.cause.value = asked.get("cause") || "";
    wanted.concern.checked = asked.has("concern");
    page = 0;
    draw();
    byId("all-students").scrollIntoView();
  };

  const option = (value, text) => made("option", { value }, text);
  wanted.stage.append(...data.stages.map((stage, at) => option(String(at), stage)));
  wanted.verdict.append(...data.kinds.map((kind) => option(kind.key, `${kind.mark} ${kind.title}`)));
  wanted.cause.append(...data.causes.filter(Boolean).sort().map((cause) => option(cause, cause)));
  byId("heads").append(...columns.map((column) => {
    const button = made("button", { type: "button" }, column.title);
    const heading = made("th", { scope: "col", className: column.number ? "number" : "" }, button);
    Object.assign(heading.dataset, { key: column.key, title: column.title });
    button.addEventListener("click", () => {
      order = { column: column.key, down: order.column === column.key && !order.down };
      draw();
    });
    return heading;
  }));
  for (const control of Object.values(wanted)) control.addEventListener("input", () => { page = 0; draw(); });
  byId("clear").addEventListener("click", () => {
    for (const name of ["text", "stage", "verdict", "cause"]) wanted[name].value = "";
    wanted.concern.checked = false;
    history.replaceState(null, "", location.pathname);
    draw();
  });
  byId("before").addEventListener("click", () => { page -= 1; draw(); });
  byId("after").addEventListener("click", () => { page += 1; draw(); });
  addEventListener("hashchange", fromAddress);
  byId("without-script").remove();
  byId("find").hidden = false;
  draw();
  fromAddress();
})();
