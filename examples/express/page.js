/** The one page: before an account is connected, and after. */

/** Titles are other people's text. */
const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

const list = (items) => `<ul>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`;

const layout = (content) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Agenda</title><h1>Agenda</h1>${content}</html>`;

export const welcomePage = (notice = '') =>
  layout(`<p>${escaped(notice)}</p><p><a href="/connect">Connect a calendar</a></p>`);

const reconnectLinks = (accounts) =>
  accounts
    .map(({ provider, account }) => {
      const address = `/connect?${new URLSearchParams({ provider, account })}`;
      return `<p><a href="${escaped(address)}">Reconnect ${escaped(account)}</a></p>`;
    })
    .join('');

export const reconnectPage = (accounts) => layout(`<p>Nothing was saved.</p>${reconnectLinks(accounts)}`);

/** `broken`: the accounts that need reconnecting. */
export const agendaPage = ({ events, broken, changes }) =>
  layout(`${reconnectLinks(broken)}${list(events.map(({ start, title }) => `${start.slice(0, 16)} ${title}`))}
<form method="post" action="/events">
<label for="title">Title</label><input id="title" name="title" required>
<label for="start">Start (UTC)</label><input id="start" name="start" type="datetime-local" required>
<button>Add</button></form>
<h2>Changes</h2>${list(changes)}`);
