// What there is to tell of a stack, and what is set apart while it is told.

let near = [];
const bring = (elements) => {
  near.forEach((it) => it.classList.remove('near', 'chosen'));
  near = elements || [];
  near.forEach((it) => it.classList.add('near'));
  picture.classList.toggle('dimmed', elements !== null);
};
const around = (stack) => {
  const { owners, readers, lines, duplicates } = about[stack];
  const others = duplicates.flatMap((it) => graph.duplicates[it].claims);
  const beside = others.map((it) => numbers.get(it.stack)).filter((it) => it !== undefined);
  const stacks = new Set([stack, ...owners.map(ownerOf), ...readers.map(readerOf), ...beside]);
  return [
    ...[...stacks].map((it) => nodes[it]),
    ...owners.map((it) => reads[it]),
    ...readers.map((it) => reads[it]),
    ...lines.map((it) => shared[it]),
  ];
};
const lines = (stack) => {
  const { owners, readers, lines } = about[stack];
  return [...owners, ...readers].map((it) => reads[it]).concat(lines.map((it) => shared[it]));
};
nodes.forEach((node, stack) => {
  const hover = (is) => lines(stack).forEach((it) => it.classList.toggle('hover', is));
  node.addEventListener('pointerenter', () => hover(true));
  node.addEventListener('pointerleave', () => hover(false));
});

const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') made.addEventListener('click', value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};
const counted = (count, one, more) => `${count} ${count === 1 ? one : more || `${one}s`}`;

const encoded = (path) => path.split('/').map(encodeURIComponent).join('/');
const isWhole = (path) => /^([/\\]|[A-Za-z]:)/.test(path);
// A link to a source, as the template says; without one, its text.
const link = (text, source) => {
  const shown = element('code', {}, text);
  if (!source) return shown;
  const { line, character } = source.range.start;
  const whole = isWhole(source.path) || !root ? source.path : `${root}/${source.path}`;
  const path = encoded(`/${whole.replace(/\\/g, '/').replace(/^\/+/, '')}`);
  const told = {
    path,
    relative: encoded(source.path),
    line: line + 1,
    column: character + 1,
  };
  const href = links.replace(/\{(path|relative|line|column)\}/g, (_, key) => told[key]);
  const open = (event) => {
    if (!editor) return;
    event.preventDefault();
    editor.postMessage({ type: 'open', path: whole, line, character });
  };
  const title = `${source.path}:${line + 1}`;
  const attributes = { href, title, target: '_blank', rel: 'noopener noreferrer', onclick: open };
  return element('a', attributes, shown);
};
const other = (name) => {
  const stack = numbers.get(name);
  if (stack === undefined) return element('span', {}, `${name} (not shown)`);
  const go = () => {
    choose(stack);
    byId('chosen').focus();
  };
  return element('button', { type: 'button', class: 'other', onclick: go }, name);
};
const identity = (it) => element(
  'div',
  {},
  element('code', {}, it.cloud_identity_id || ''),
  element('span', { class: 'faint' }, ` ${it.type}${it.cloud_identity_realm ? ` in realm ${it.cloud_identity_realm}` : ''}`),
);
// Of more things than these, the rest is counted.
const MOST = 100;
const list = (items, made) => {
  const rows = items.slice(0, MOST).map((it) => element('li', {}, ...made(it)));
  if (items.length > MOST) {
    rows.push(element('li', { class: 'faint' }, `and ${items.length - MOST} more`));
  }
  return element('ul', {}, ...rows);
};
const dependency = (at, name) => {
  const { objects } = graph.dependencies[at];
  return [
    element('div', {}, other(graph.dependencies[at][name]), element('span', { class: 'faint' }, ` ${counted(objects.length, 'object')}`)),
    list(objects, (it) => [
      identity(it),
      ...(WHEN[it.when] ? [element('div', { class: 'shared' }, WHEN[it.when])] : []),
      element('div', {}, link(it.reader.address, it.reader.source), ' reads ', link(it.owner.address, it.owner.source)),
    ]),
  ];
};
const WHEN = {
  'now': '',
  'until-applied': 'until applied: the configuration ends it',
  'after-apply': 'after the next apply: the configuration makes it',
};
const ago = (seconds) => {
  const minutes = Math.max(0, Math.floor((Date.now() / 1000 - seconds) / 60));
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return counted(minutes, 'minute');
  if (minutes < 2880) return counted(Math.floor(minutes / 60), 'hour');
  return counted(Math.floor(minutes / 1440), 'day');
};
const facts = (it) => {
  const told = [element('p', {}, `${counted(it.claims, 'claim')} in ${counted(it.rows, 'row')}`)];
  if (!it.state) told.push(element('p', { class: 'faint' }, 'No state was read.'));
  else if (it.state.modified !== null) {
    const written = new Date(it.state.modified * 1000).toLocaleString();
    told.push(element('p', { class: 'faint', title: written }, `State written ${ago(it.state.modified)} ago`));
  }
  for (const { path, problem } of it.unreadable) {
    told.push(element('p', { class: 'warning' }, `${path}: ${problem}`));
  }
  if (it.source) told.push(element('p', {}, link(it.source.path, it.source)));
  if (it.cycle !== null) {
    const circle = graph.cycles[it.cycle].flatMap((name, at) => [at ? ', ' : '', other(name)]);
    told.push(element('p', { class: 'warning' }, 'On a cycle, which has no order: ', ...circle));
  }
  return told;
};
const told = (stack) => {
  const it = graph.stacks[stack];
  const { owners, readers, duplicates } = about[stack];
  const close = { type: 'button', class: 'close', 'aria-label': 'Close', title: 'Close (Esc)' };
  const parts = [
    element('button', { ...close, onclick: () => leave() }, '×'),
    element('h2', { id: 'chosen', tabindex: '-1' }, it.name),
    ...facts(it),
  ];
  const section = (title, items) => {
    if (items.length) parts.push(element('h3', {}, title), ...items);
  };
  section(
    `Reads from ${counted(owners.length, 'stack')}`,
    owners.flatMap((at) => dependency(at, 'owner')),
  );
  section(
    `Read by ${counted(readers.length, 'stack')}`,
    readers.flatMap((at) => dependency(at, 'reader')),
  );
  section(
    `Manages ${counted(duplicates.length, 'object')} that others manage`,
    duplicates.length ? [list(duplicates.map((at) => graph.duplicates[at]), (group) => [
      identity(group),
      ...(WHEN[group.when] ? [element('div', { class: 'shared' }, WHEN[group.when])] : []),
      list(group.claims, (claim) => [other(claim.stack), ' ', link(claim.address, claim.source)]),
    ])] : [],
  );
  return parts;
};
