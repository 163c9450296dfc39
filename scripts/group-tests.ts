/** Groups test files, so that one process loads the code once for several of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Small enough that no group is still running long after the others. */
const MOST_FILES = 8;

/** Folders whose files load much code and neither start programs nor measure processes. */
const GROUPED_FOLDERS =
  /\/src\/|\/test\/(access|administration|connect|notifications|oauth|providers|reading|store|sync|webhooks|writing)\//;

/** Text of a file that changes its process, or whose hooks would also run for the tests of other files. */
const CHANGES_PROCESS =
  /^(?:before|after)Each\(|process\.(?:chdir|exit|memoryUsage|on\(|once\()|\bprocess\.env\.\w+ =|delete process\.env|\bmock\.|globalThis\.\w+ =|\bgc\(/m;

/**
 * Returns the files to run, one process each. Generated files in `folder` replace the files of GROUPED_FOLDERS that do
 * not change their process; each imports up to MOST_FILES of one folder. `files` are absolute paths.
 */
export function groupTests(files: readonly string[], folder: string): string[] {
  const isShared = (file: string) =>
    GROUPED_FOLDERS.test(file) && !CHANGES_PROCESS.test(readFileSync(file, 'utf8'));
  const { separate = [], shared = [] } = Object.groupBy(files, (file) =>
    isShared(file) ? 'shared' : 'separate',
  );
  const groups = [...Map.groupBy(shared, findPlace).values()].flatMap(inParts);
  const generated = groups.map((group, at) => {
    const file = path.join(folder, `${at}.test.mjs`);
    writeFileSync(file, group.map((one) => `import '${pathToFileURL(one).href}';\n`).join(''));
    return file;
  });
  return [...separate, ...generated];
}

/** Returns the files' common place. Unit tests are small, so all of them have one. */
const findPlace = (file: string): string => (file.includes('/src/') ? 'src' : path.dirname(file));

function inParts(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / MOST_FILES);
  return Array.from({ length: count }, (_, part) => files.filter((_, at) => at % count === part));
}
