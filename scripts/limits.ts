/**
 * The limits of the sources that Biome does not check; Biome's are in biome.json. A commit that changes one of these two
 * files changes no other file and gives the reason in its body.
 */
export const LIMITS = {
  /** Files that the route of an endpoint loads, and their lines. */
  closures: {
    // Twenty of the files bound the cost of a read: large calendars in pieces, heavy series in threads, responses in pieces.
    'GET /events': { files: 37, lines: 5230 },
    // Five of the files split a series: the plan, its exceptions, the steps, the journal, the end.
    'PUT /event': { files: 44, lines: 6050 },
    // The pages of Connect share four of the files: styles, icons, parts and the reader of catalogs.
    'linking CalDAV': { files: 37, lines: 4500 },
  },
  /** Files directly in a folder of `src`, without tests. */
  folderFiles: 50,
  largeFolders: { 'src/store/drivers': 23 } as Readonly<Record<string, number>>,
  /** Files with fewer lines than `smallFileLines` whose only importer is in the same folder: they belong into it. */
  smallFiles: 6,
  smallFileLines: 40,
  /** Interfaces with more methods than `interfaceMethods`. */
  largeInterfaces: 1,
  interfaceMethods: 9,
  /** Findings of the prose check, by kind of text. */
  prose: { comments: 49, documents: 0, commands: 0, catalogs: 0, titles: 0, names: 0 },
  sentenceWords: 35,
  commitSubjectCharacters: 72,
  /** The image, compressed, in bytes. */
  imageBytes: 70_000_000,
};
