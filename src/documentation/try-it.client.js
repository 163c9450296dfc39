// Sends the request of a "Try it" form to this origin, and shows the response. Nothing is stored: secrets stay in this
// page.
const MOST_SHOWN = 65536;
const secrets = {};

for (const details of document.querySelectorAll('details.try')) {
  const form = details.querySelector('form');
  const output = details.querySelector('.tried');
  details.hidden = false;
  // Fills in values that were typed under another operation.
  details.addEventListener('toggle', () => {
    for (const input of form.querySelectorAll('[data-part=token], [data-part=client], [data-part=secret]'))
      input.value ||= secrets[input.dataset.part] ?? '';
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    output.textContent = 'Waiting for the answer …';
    try {
      show(output, await send(form));
    } catch (error) {
      // The request failed, or its body is invalid JSON.
      output.textContent = `No answer: ${error.message}`;
    } finally {
      button.disabled = false;
    }
  });
}

// Returns the fields of a form that belong to one part of the request, without empty ones.
function fieldsOf(form, part) {
  return [...form.querySelectorAll(`[data-part=${part}]`)].filter(({ value }) => value !== '');
}

async function send(form) {
  const { method, credentials } = form.dataset;
  for (const part of ['token', 'client', 'secret'])
    for (const { value } of fieldsOf(form, part)) secrets[part] = value.trim();
  const headers = {};
  if (credentials === 'user') headers.authorization = `Bearer ${secrets.token}`;
  if (credentials === 'application')
    headers.authorization = `Basic ${btoa(`${secrets.client}:${secrets.secret}`)}`;
  for (const { name, value } of fieldsOf(form, 'header')) headers[name] = value;
  let body;
  const [json] = fieldsOf(form, 'json');
  const pairs = fieldsOf(form, 'form').map(({ name, value }) => [name, value]);
  if (json !== undefined) {
    body = JSON.stringify(JSON.parse(json.value));
    headers['content-type'] = 'application/json';
  } else if (pairs.length > 0) body = new URLSearchParams(pairs);
  const url = urlOf(form);
  const started = performance.now();
  const answer = await fetch(url, {
    method,
    headers,
    body,
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
  });
  const text = await answer.text();
  return {
    answer,
    text,
    took: Math.round(performance.now() - started),
    line: `${method} ${url.pathname}${url.search}`,
  };
}

function urlOf(form) {
  let path = form.dataset.path;
  for (const { name, value } of fieldsOf(form, 'path'))
    path = path.replace(`{${name}}`, encodeURIComponent(value));
  const url = new URL(path, location.origin);
  for (const { name, value } of fieldsOf(form, 'query')) url.searchParams.append(name, value);
  return url;
}

// As text, never as markup: the content comes from others.
function show(place, { answer, text, took, line }) {
  const summary = document.createElement('p');
  summary.textContent = `${line}: ${answer.status} in ${took} ms`;
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const full = pretty(text);
  pre.textContent = full.length > MOST_SHOWN ? `${full.slice(0, MOST_SHOWN)}\n…` : full;
  place.replaceChildren(summary, ...(text === '' ? [] : [pre]));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
