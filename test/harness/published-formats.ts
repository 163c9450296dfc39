/** Published schemas of the formats that Kalends writes for other programs. */

/** The folder in which .ci/install-counterparts.sh installs the packages of test/published-formats. */
export const FORMATS = '/usr/local/lib/kalends-counterparts/published-formats/node_modules';
