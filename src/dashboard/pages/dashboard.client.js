// Optional improvements of the pages besides copy buttons: local times, live lists, forms that are sent only once.
// Shows instants in the reader's time zone. The UTC text stays available.
function tellTimes(within) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
      dateStyle: 'medium',
      timeStyle: time.dataset.precise ? 'medium' : 'short',
    }).format(at);
  }
}
tellTimes(document);
// Reloads a live list while it is visible, for ten minutes: an abandoned page must not keep its session alive.
let asks = 120;
setInterval(async () => {
  const list = document.querySelector('[data-live]');
  if (!list || document.hidden || asks === 0 || list.contains(document.activeElement)) return;
  asks -= 1;
  const answer = await fetch(location.href, { redirect: 'error' }).catch(() => undefined);
  if (!answer?.ok) return;
  const fresh = new DOMParser()
    .parseFromString(await answer.text(), 'text/html')
    .querySelector('[data-live]');
  if (!fresh || fresh.innerHTML === list.dataset.last || list.contains(document.activeElement)) return;
  list.dataset.last = fresh.innerHTML;
  tellTimes(fresh);
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
