/** `text` as every database can hold it (store/drivers/text-values.ts): without U+0000 and halves of surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
