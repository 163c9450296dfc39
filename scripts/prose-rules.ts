/** Rules that find text which reads like a translation, as functions from a text to advice. */
import { LIMITS } from './limits.ts';

type Rule = readonly [pattern: RegExp, advice: string];

/** Rules for the beginning of a comment or test title. */
const OPENERS: readonly Rule[] = [
  [
    /^(What|Whatever|Whom|Whose|Whoever|Who|Which)\b(?![^.]*\?)(?! (to|happens|every|exactly)\b)/,
    'start with a noun or a verb: "The …", "Returns …"',
  ],
  [/^Where\b[^,]*$/, 'name the thing: "The address of …"'],
  [
    /^(Of|Those|None|One (that|which|who|whose|of|with|without|to)|That of|All that|(So|As) (many|much)|So long)\b/,
    'write a full sentence',
  ],
  [/^(Answers?|Hears|Says|Tells|Asks)\b/, 'use returns, receives, reports, requests'],
];

/** Rules for all text. */
const PHRASES: readonly Rule[] = [
  [/(;|, and|, or|\.) answers (the|an?|how|what|whether|which|all|true|`|undefined|with)\b/, 'use returns'],
  [/\b(mend(s|ed|ing)?|ail(s|ing|ed|ments?)|befall(s|en)?|how ?manieth)\b/i, 'use fix, repair, fail, happen'],
  [/\b(whoever|whomever)\b/i, 'name the person or program'],
  [
    /\bneeds? (some|any|no)body\b|\b(is|are) nobody['’]s\b|\b(answers|tells|concerns) nobody\b|\bof somebody\b|\bnobody (hears|here)\b/i,
    'name the person, or write "no one"',
  ],
  [
    /\b(is|are|was|were|been|be|being) told\b(?! to )|\btold (of|about|apart|by the)\b|\btells? of\b/,
    'use sent, notified, reported, distinguished',
  ],
  [/\bhears?( of| from| what|:)|\bheard (of|from)\b/, 'use receive, be notified of'],
  [/\b(go|going) on (with|by|at|to|as|[a-z]+ing)\b|\b(goes|gone|went) on\b/, 'use continue'],
  [/\bof before\b|\bthose before it\b|\b(as ever|of late|ere|whence|now and then)\b/, 'say which or when'],
  [
    /\bas (it|they) (is|are|was|were) (there|then)\b|\b(it|that|one|them|which|what) (is|are) there([.,;:)]| (already|now|as|and|or|when|where|before|after|once)\b|$)/,
    'use exists, is present, the existing …',
  ],
  [
    /\bof (ours|theirs|yours|mine)\b|\b(fault|case|word|name|time|way|unit|kind) of (its|their|our) own\b/,
    'use our, its own, separate',
  ],
  [
    /\b(whose|what|how|where) (it|they) (is|are|was|were)(?=[.,;:)]|$| (then|there|so|of|afterwards)\b)/,
    'use a noun: "the owner", "the state", "the location"',
  ],
  [
    /\bwhose turn\b|\bturn it is\b|\bstands? (under|there|here|beside|behind|still)\b|\bin the place of\b|\bhas to do with\b|\blies? behind\b/,
    'use the standard verb',
  ],
  [
    /\b(after|before|for|beyond|over|than|when|every|in|past|within|at most|takes?|least) so (many|much|long)\b(?! (that|as))/i,
    'give the unit or name the limit',
  ],
  [/\b(once more|anew|for good|of itself)\b/, 'use again, permanently, by itself'],
  [
    /\b(of|with|from|by|for|to|on|after) (what|those|one|all) (is|are|was|were|has|have|had|that|which) [^.;,]{2,40}\b(is|are|was|were|goes|stays|waits|stands|lies|nothing)\b/,
    'name the thing',
  ],
  [
    /(^|[a-z)`][.;:] )(What|Those|Whose|Of (these|those|them|one|two|several|an?|each|what|which))\b(?! (to|you|happens|this|follows|it)\b)[^?]*[a-z]{3}[^?]*$/,
    'name the subject of the sentence',
  ],
];

const VAGUE_NAME =
  /^(told|found|known|own|words|said|asked|shown|kept|hears|made|of|one|deed|wishes|ailing|written|gone|wanted|meant|named|taken|folded|takeUp|(told|ailing)[A-Z]\w*|mend(s|ed|ing)?([A-Z]\w*)?|whoseTurn|\w+Told|(Made[A-Z]|Told|Ailing)\w*)$/;
const VAGUE_FUNCTION =
  /^(text|name|refusal|place|instant|value|state|row|document|line|kind|count|word|part|thing|answer|told\w*|shown|own\w*|said|found|made|end|rest|what|number|new|old|known|needs?|wish|turn|mending|hears|look|way|seen|taken)s?Of$/;
const FUNCTION = /^(: [^=]+)? = (async )?(\(|<|\w+ =>)/;

/** Returns how to rewrite `text`, or `undefined` if no rule applies. `isComment` adds the rules for its beginning. */
export function adviseOnText(text: string, isComment: boolean): string | undefined {
  const plain = text
    .replace(/\]\([^)]*\)|\*\*/g, '')
    .replace(/^[\s>*+#-]+|^\d+\. /, '')
    .trim();
  if (countWords(plain) < 3) return undefined;
  const rules = isComment ? [...OPENERS, ...PHRASES] : PHRASES;
  const broken = rules.find(([pattern]) => pattern.test(plain));
  if (broken !== undefined) return broken[1];
  const isLong = plain
    .split(/(?<=[.!?:;])\s+/)
    .some((sentence) => countWords(sentence) > LIMITS.sentenceWords);
  return isLong ? `split the sentence: it has more than ${LIMITS.sentenceWords} words` : undefined;
}

/**
 * Returns how to rename what a line of code declares, or `undefined` if no rule applies. `keyword` is `function`, `const`
 * or another keyword of the declaration, and `rest` is the line after the name.
 */
export function adviseOnName(keyword: string, name: string, rest: string): string | undefined {
  if (VAGUE_NAME.test(name)) return 'use a noun that says what it holds';
  const isFunction = keyword.startsWith('function') || FUNCTION.test(rest);
  return isFunction && VAGUE_FUNCTION.test(name) ? 'use a verb and what it returns' : undefined;
}

const countWords = (text: string): number => text.split(/\s+/).length;
