// Finding stacks by their names, and by addresses, ids and realms of what their lines are about.

let index = null;
// What can be found, each with the stack that it leads to; built when it is first asked for.
const entries = () => {
  const seen = new Set();
  const all = [];
  const add = (text, kind, name) => {
    const stack = numbers.get(name);
    const key = `${kind}\n${text}\n${stack}`;
    if (!text || stack === undefined || seen.has(key)) return;
    seen.add(key);
    all.push({ text, lower: text.toLowerCase(), kind, stack });
  };
  graph.stacks.forEach((it) => add(it.name, 'stack', it.name));
  graph.dependencies.forEach((it) => it.objects.forEach((object) => {
    add(object.owner.address, 'address', it.owner);
    add(object.reader.address, 'address', it.reader);
    add(object.cloud_identity_id, 'owns', it.owner);
    add(object.cloud_identity_id, 'reads', it.reader);
    add(object.cloud_identity_realm, 'realm', it.owner);
    add(object.cloud_identity_realm, 'realm', it.reader);
  }));
  graph.duplicates.forEach((it) => it.claims.forEach((claim) => {
    add(claim.address, 'address', claim.stack);
    add(it.cloud_identity_id, 'owns', claim.stack);
    add(it.cloud_identity_realm, 'realm', claim.stack);
  }));
  return all;
};
const SHOWN = 30;
let options = [];
let active = -1;
const mark = (next) => {
  active = next;
  [...found.children].forEach((it, at) => {
    it.setAttribute('aria-selected', String(at === active));
    if (at === active) it.scrollIntoView({ block: 'nearest' });
  });
  if (active >= 0) search.setAttribute('aria-activedescendant', `found-${active}`);
  else search.removeAttribute('aria-activedescendant');
};
const shut = () => {
  found.hidden = true;
  search.setAttribute('aria-expanded', 'false');
  mark(-1);
};
const take = (at) => {
  const option = options[at];
  if (!option) return;
  shut();
  choose(option.stack);
  show(option.stack, true);
  nodes[option.stack].focus({ preventScroll: true });
};
const find = () => {
  const wanted = search.value.trim().toLowerCase();
  index ||= entries();
  const all = wanted ? index.filter((it) => it.lower.includes(wanted)) : [];
  const rank = (it) => (it.lower === wanted ? 0 : it.lower.startsWith(wanted) ? 1 : 2);
  all.sort((a, b) => rank(a) - rank(b));
  options = all.slice(0, SHOWN);
  found.replaceChildren(...options.map((it, at) => element(
    'li',
    { role: 'option', id: `found-${at}`, 'aria-selected': 'false', onclick: () => take(at) },
    it.text,
    element('small', {}, it.kind === 'stack' ? 'stack' : `${it.kind === 'address' ? 'in' : it.kind === 'realm' ? 'realm of' : `${it.kind}:`} ${graph.stacks[it.stack].name}`),
  )));
  found.hidden = !options.length;
  search.setAttribute('aria-expanded', String(!!options.length));
  mark(options.length ? 0 : -1);
  const stacks = new Set(all.map((it) => it.stack));
  if (wanted) bring([...stacks].map((it) => nodes[it]));
  else if (chosen !== null) choose(chosen);
  else bring(null);
  byId('status').textContent = wanted ? `${counted(stacks.size, 'stack')} found` : '';
};
search.addEventListener('input', find);
search.addEventListener('focus', () => { if (search.value.trim()) find(); });
search.addEventListener('blur', shut);
// a click on what was found leaves the focus where it is
found.addEventListener('mousedown', (event) => event.preventDefault());
search.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : options.length - 1;
    if (options.length) mark((active + step) % options.length);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    take(active);
  } else if (event.key === 'Escape') {
    event.stopPropagation();
    search.value = '';
    find();
    shut();
    search.blur();
  }
});
