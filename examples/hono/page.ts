/** The one page: before an account is connected, and after. Hono's `html` escapes what is put in: titles are other people's text. */
import type { AccountOfProvider, CalendarEvent } from '@kalends/client';
import { html } from 'hono/html';

type Content = ReturnType<typeof html>;

const layout = (content: Content) => html`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Agenda</title><h1>Agenda</h1>${content}</html>`;

const list = (items: readonly string[]) => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

export const welcomePage = (notice = '') =>
  layout(html`<p>${notice}</p><p><a href="/connect">Connect a calendar</a></p>`);

const reconnectLinks = (accounts: readonly AccountOfProvider[]) =>
  accounts.map(({ provider, account }) => {
    const address = `/connect?${new URLSearchParams({ provider, account })}`;
    return html`<p><a href="${address}">Reconnect ${account}</a></p>`;
  });

export const reconnectPage = (accounts: readonly AccountOfProvider[]) =>
  layout(html`<p>Nothing was saved.</p>${reconnectLinks(accounts)}`);

type Agenda = {
  readonly events: readonly CalendarEvent[];
  /** The accounts that need reconnecting. */
  readonly broken: readonly AccountOfProvider[];
  readonly changes: readonly string[];
};

export const agendaPage = ({ events, broken, changes }: Agenda) =>
  layout(html`${reconnectLinks(broken)}${list(events.map(({ start, title }) => `${start.slice(0, 16)} ${title}`))}
<form method="post" action="/events">
<label for="title">Title</label><input id="title" name="title" required>
<label for="start">Start (UTC)</label><input id="start" name="start" type="datetime-local" required>
<button>Add</button></form>
<h2>Changes</h2>${list(changes)}`);
