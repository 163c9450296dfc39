/** The styles of tables by column. Attributes of each cell would be a fifth of a list. */
import { Html } from '../../http/html.ts';

/** Returns the page with a class for each kind of table, and the styles of their columns. */
export function withTableStyles({ markup }: Html): { readonly content: Html; readonly style: string } {
  const kinds: string[] = [];
  const table = /<table (aria-label="[^"]*"><thead><tr>(.*?)<\/tr>)/gs;
  const content = markup.replace(table, (_, start: string, heads: string) => {
    if (!kinds.includes(heads)) kinds.push(heads);
    return `<table class="t${kinds.indexOf(heads)}" ${start}`;
  });
  return { content: new Html(content), style: kinds.map(columnStyle).join('') };
}

/** On a phone a cell shows its column's head: a text of the catalog, or markup above buttons, which is not repeated. */
function columnStyle(heads: string, kind: number): string {
  const table = `.t${kind}`;
  const found = heads.matchAll(/<th scope="col"(?: class="([^"]*)")?>(.*?)<\/th>/g);
  const columns = Array.from(found, ([, kinds = '', head = ''], index) => ({
    ...{ kinds, head, cell: `:nth-child(${index + 1})` },
  }));
  const numbers = columns.filter(({ kinds }) => kinds.includes('number'));
  const onPhone = columns.slice(1).map(({ kinds, head, cell }) => {
    if (kinds.includes('detail')) return `${table} td${cell}{display:none}`;
    return head.includes('<') ? '' : `${table} td${cell}::before{content:"${head}"/""}`;
  });
  return `@media (min-width:40.01rem){${numbers.map(({ cell }) => `${table} ${cell}{text-align:end}`).join('')}}
@media (max-width:40rem){${onPhone.join('')}}`;
}
