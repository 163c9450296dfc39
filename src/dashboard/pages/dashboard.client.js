// Optional improvements of the pages besides copy buttons: local times, live lists, forms that are sent only once.
// Shows times in the reader's zone, and keeps relative times current.
function showTimes(within) {
  for (const time of within.querySelectorAll('time')) {
    const { form } = time.dataset;
    const at = new Date(time.dateTime);
    const language = document.documentElement.lang;
    const exact = at.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' });
    const relative = relativeTime(at.getTime(), Date.now());
    time.title = form ? at.toISOString() : exact;
    if (!form) time.textContent = relative || at.toLocaleDateString(language, { dateStyle: 'medium' });
    else time.textContent = form === 'both' && relative ? `${exact} (${relative})` : exact;
  }
}
showTimes(document);
setInterval(showTimes, 30_000, document);
// Reloads a live list while it is visible, for ten minutes: an abandoned page must not keep its session alive.
let asks = history.state?.asks ?? 120;
history.replaceState(null, '');
setInterval(async () => {
  const list = document.querySelector('[data-live]');
  if (!list || document.hidden || asks === 0 || list.contains(document.activeElement)) return;
  asks -= 1;
  const answer = await fetch(location.href, { redirect: 'error' }).catch(() => undefined);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.querySelector('[data-live]');
  const text = fresh?.innerHTML.replace(/>[^<]*<\/time>/g, '');
  if (!fresh || text === list.dataset.last || list.contains(document.activeElement)) return;
  // The style of the page has only what the list needed.
  if (!list.querySelector('table') !== !fresh.querySelector('table')) {
    history.replaceState({ asks }, '');
    return location.reload();
  }
  list.dataset.last = text;
  showTimes(fresh);
  document.getElementById('icons').replaceWith(page.getElementById('icons'));
  list.replaceChildren(...fresh.childNodes);
}, 5000);
for (const form of document.querySelectorAll('form[method="post"]'))
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
// Redirects without an entry in the history.
const onward = document.querySelector('a[data-goes-on]');
if (onward) location.replace(onward.href);
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});
