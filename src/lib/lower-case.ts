/** Lowercases ASCII only, as LOWER does in SQL if bytes are compared. */
export const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
