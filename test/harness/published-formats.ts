/** What others publish of the formats that we write for their programs. */

/** Where .ci/install-counterparts.sh installs the packages of test/published-formats. */
export const FORMATS = '/usr/local/lib/kalends-counterparts/published-formats/node_modules';
