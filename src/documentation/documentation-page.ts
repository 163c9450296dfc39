/** A page of the documentation, made from a file or from the API description. */
import type { InlineCode } from '../http/page.ts';
import type { Section } from './contents.ts';
import type { Piece } from './parts.ts';

export type DocumentationPage = {
  /** Such as `/docs/reading`; as Markdown it is at the same address with `.md`. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly section: Section['name'];
  readonly markdown: string;
  /** The ids of the headings of level 2, if the page has other ids than GitHub. Deeper headings have none. */
  readonly anchors?: ReadonlyMap<string, string>;
  /** Rendered at first use. */
  pieces(): readonly Piece[];
  /** Whether code is beside the text, where the list of headings would be. */
  readonly hasCodeBeside?: boolean;
  /** The script of the page. It may send requests to this origin. */
  readonly script?: InlineCode;
};
