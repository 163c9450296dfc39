/** Matches a part of a JWT that is longer than any random text of a page or an id (43 characters). */
export const JWT_TEXT = /eyJ[\w-]{41}/;
