/** Returns `text` as every database can store it (store/drivers/text-values.ts): without U+0000 and lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
