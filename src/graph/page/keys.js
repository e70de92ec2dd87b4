// Keys and buttons of the whole page, and how it begins.

byId('in').addEventListener('click', () => zoom(1.4));
byId('out').addEventListener('click', () => zoom(1 / 1.4));
byId('fit').addEventListener('click', () => fit(travel));
document.addEventListener('keydown', (event) => {
  if (event.target === search || event.altKey || event.ctrlKey || event.metaKey) return;
  const act = {
    '/': () => search.focus(),
    'Escape': leave,
    '+': () => zoom(1.4),
    '=': () => zoom(1.4),
    '-': () => zoom(1 / 1.4),
    '0': () => fit(travel),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

picture.classList.toggle('many', reads.length > 150);
stand(0);
fit(move);
addEventListener('resize', () => { if (fits) fit(move); });
