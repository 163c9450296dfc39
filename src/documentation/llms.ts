/** `/llms.txt` and `/llms-full.txt` (llmstxt.org): the documentation for programs that read it. */
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';

const INTRODUCTION = `# Kalends

> Kalends connects any application to its users' calendars at Google, Microsoft, Apple and any CalDAV server: one OAuth 2.0 flow, one REST interface, signed webhooks. It is self-hosted.
`;

/** Every page as a link to its Markdown. `publicUrl` is without a slash at the end. */
export function llmsText(pages: readonly DocumentationPage[], publicUrl: string): string {
  const sections = CONTENTS.map(({ name }) => {
    const links = pages
      .filter(({ section }) => section === name)
      .map(({ title, path, summary }) => `- [${title}](${publicUrl}${path}.md): ${summary}`);
    return `## ${name}\n\n${links.join('\n')}\n`;
  });
  const document = `The interface as an OpenAPI document: [openapi.json](${publicUrl}/openapi.json). All pages in one: [llms-full.txt](${publicUrl}/llms-full.txt).\n`;
  return [INTRODUCTION, document, ...sections].join('\n');
}

/** All of it, one page behind the other. */
export const llmsFullText = (pages: readonly DocumentationPage[], publicUrl: string): string =>
  [INTRODUCTION, ...pages.map(({ path, markdown }) => `Source: ${publicUrl}${path}.md\n\n${markdown}`)].join(
    '\n---\n\n',
  );
