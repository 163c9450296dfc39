/**
 * Names of time zones as programs write them without a VTIMEZONE, and the zone each means. Windows' names are those of
 * CLDR's windowsZones.xml and of its comments; the older ones are from Exchange's CdoTimeZoneId and Lotus Notes' list, both
 * as sabre/vobject collected them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { WINDOWS_TO_IANA_MAP } from 'windows-iana';

import { resolveZone } from '../../../src/lib/icalendar/zone-resolver.ts';
import { offsetAt } from '../../../src/lib/recurrence/zone.ts';

/** Names that Windows shows today, and its own names for the same zones. */
const WINDOWS: readonly string[] = [
  '(UTC-12:00) International Date Line West = Dateline Standard Time',
  '(UTC-11:00) Coordinated Universal Time-11 = UTC-11',
  '(UTC-10:00) Aleutian Islands = Aleutian Standard Time',
  '(UTC-10:00) Hawaii = Hawaiian Standard Time',
  '(UTC-09:30) Marquesas Islands = Marquesas Standard Time',
  '(UTC-09:00) Alaska = Alaskan Standard Time',
  '(UTC-09:00) Coordinated Universal Time-09 = UTC-09',
  '(UTC-08:00) Baja California = Pacific Standard Time (Mexico)',
  '(UTC-08:00) Coordinated Universal Time-08 = UTC-08',
  '(UTC-08:00) Pacific Time (US & Canada) = Pacific Standard Time',
  '(UTC-07:00) Arizona = US Mountain Standard Time',
  '(UTC-07:00) Chihuahua, La Paz, Mazatlan = Mountain Standard Time (Mexico)',
  '(UTC-07:00) La Paz, Mazatlan = Mountain Standard Time (Mexico)',
  '(UTC-07:00) Mountain Time (US & Canada) = Mountain Standard Time',
  '(UTC-07:00) Yukon = Yukon Standard Time',
  '(UTC-06:00) Central America = Central America Standard Time',
  '(UTC-06:00) Central Time (US & Canada) = Central Standard Time',
  '(UTC-06:00) Easter Island = Easter Island Standard Time',
  '(UTC-06:00) Guadalajara, Mexico City, Monterrey = Central Standard Time (Mexico)',
  '(UTC-06:00) Saskatchewan = Canada Central Standard Time',
  '(UTC-05:00) Bogota, Lima, Quito, Rio Branco = SA Pacific Standard Time',
  '(UTC-05:00) Chetumal = Eastern Standard Time (Mexico)',
  '(UTC-05:00) Eastern Time (US & Canada) = Eastern Standard Time',
  '(UTC-05:00) Haiti = Haiti Standard Time',
  '(UTC-05:00) Havana = Cuba Standard Time',
  '(UTC-05:00) Indiana (East) = US Eastern Standard Time',
  '(UTC-05:00) Turks and Caicos = Turks And Caicos Standard Time',
  '(UTC-04:00) Asuncion = Paraguay Standard Time',
  '(UTC-04:00) Atlantic Time (Canada) = Atlantic Standard Time',
  '(UTC-04:00) Caracas = Venezuela Standard Time',
  '(UTC-04:00) Cuiaba = Central Brazilian Standard Time',
  '(UTC-04:00) Georgetown, La Paz, Manaus, San Juan = SA Western Standard Time',
  '(UTC-04:00) Santiago = Pacific SA Standard Time',
  '(UTC-03:30) Newfoundland = Newfoundland Standard Time',
  '(UTC-03:00) Araguaina = Tocantins Standard Time',
  '(UTC-03:00) Brasilia = E. South America Standard Time',
  '(UTC-03:00) Cayenne, Fortaleza = SA Eastern Standard Time',
  '(UTC-03:00) City of Buenos Aires = Argentina Standard Time',
  '(UTC-03:00) Montevideo = Montevideo Standard Time',
  '(UTC-03:00) Punta Arenas = Magallanes Standard Time',
  '(UTC-03:00) Saint Pierre and Miquelon = Saint Pierre Standard Time',
  '(UTC-03:00) Salvador = Bahia Standard Time',
  '(UTC-02:00) Coordinated Universal Time-02 = UTC-02',
  '(UTC-02:00) Greenland = Greenland Standard Time',
  '(UTC-01:00) Azores = Azores Standard Time',
  '(UTC-01:00) Cabo Verde Is. = Cape Verde Standard Time',
  '(UTC) Coordinated Universal Time = UTC',
  '(UTC+00:00) Dublin, Edinburgh, Lisbon, London = GMT Standard Time',
  '(UTC+00:00) Monrovia, Reykjavik = Greenwich Standard Time',
  '(UTC+00:00) Sao Tome = Sao Tome Standard Time',
  '(UTC+01:00) Casablanca = Morocco Standard Time',
  '(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna = W. Europe Standard Time',
  '(UTC+01:00) Belgrade, Bratislava, Budapest, Ljubljana, Prague = Central Europe Standard Time',
  '(UTC+01:00) Brussels, Copenhagen, Madrid, Paris = Romance Standard Time',
  '(UTC+01:00) Sarajevo, Skopje, Warsaw, Zagreb = Central European Standard Time',
  '(UTC+01:00) West Central Africa = W. Central Africa Standard Time',
  '(UTC+02:00) Athens, Bucharest = GTB Standard Time',
  '(UTC+02:00) Beirut = Middle East Standard Time',
  '(UTC+02:00) Cairo = Egypt Standard Time',
  '(UTC+02:00) Chisinau = E. Europe Standard Time',
  '(UTC+02:00) Gaza, Hebron = West Bank Standard Time',
  '(UTC+02:00) Harare, Pretoria = South Africa Standard Time',
  '(UTC+02:00) Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius = FLE Standard Time',
  '(UTC+02:00) Jerusalem = Israel Standard Time',
  '(UTC+02:00) Juba = South Sudan Standard Time',
  '(UTC+02:00) Kaliningrad = Kaliningrad Standard Time',
  '(UTC+02:00) Khartoum = Sudan Standard Time',
  '(UTC+02:00) Tripoli = Libya Standard Time',
  '(UTC+02:00) Windhoek = Namibia Standard Time',
  '(UTC+03:00) Amman = Jordan Standard Time',
  '(UTC+03:00) Baghdad = Arabic Standard Time',
  '(UTC+03:00) Damascus = Syria Standard Time',
  '(UTC+03:00) Istanbul = Turkey Standard Time',
  '(UTC+03:00) Kuwait, Riyadh = Arab Standard Time',
  '(UTC+03:00) Minsk = Belarus Standard Time',
  '(UTC+03:00) Moscow, St. Petersburg = Russian Standard Time',
  '(UTC+03:00) Nairobi = E. Africa Standard Time',
  '(UTC+03:00) Volgograd = Volgograd Standard Time',
  '(UTC+03:30) Tehran = Iran Standard Time',
  '(UTC+04:00) Abu Dhabi, Muscat = Arabian Standard Time',
  '(UTC+04:00) Astrakhan, Ulyanovsk = Astrakhan Standard Time',
  '(UTC+04:00) Baku = Azerbaijan Standard Time',
  '(UTC+04:00) Izhevsk, Samara = Russia Time Zone 3',
  '(UTC+04:00) Port Louis = Mauritius Standard Time',
  '(UTC+04:00) Saratov = Saratov Standard Time',
  '(UTC+04:00) Tbilisi = Georgian Standard Time',
  '(UTC+04:00) Yerevan = Caucasus Standard Time',
  '(UTC+04:30) Kabul = Afghanistan Standard Time',
  '(UTC+05:00) Ashgabat, Tashkent = West Asia Standard Time',
  '(UTC+05:00) Ekaterinburg = Ekaterinburg Standard Time',
  '(UTC+05:00) Islamabad, Karachi = Pakistan Standard Time',
  '(UTC+05:00) Qyzylorda = Qyzylorda Standard Time',
  '(UTC+05:00) Astana = Qyzylorda Standard Time',
  '(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi = India Standard Time',
  '(UTC+05:30) Sri Jayawardenepura = Sri Lanka Standard Time',
  '(UTC+05:45) Kathmandu = Nepal Standard Time',
  '(UTC+06:00) Astana = Central Asia Standard Time',
  '(UTC+06:00) Bishkek = Central Asia Standard Time',
  '(UTC+06:00) Dhaka = Bangladesh Standard Time',
  '(UTC+06:00) Omsk = Omsk Standard Time',
  '(UTC+06:30) Yangon (Rangoon) = Myanmar Standard Time',
  '(UTC+07:00) Bangkok, Hanoi, Jakarta = SE Asia Standard Time',
  '(UTC+07:00) Barnaul, Gorno-Altaysk = Altai Standard Time',
  '(UTC+07:00) Hovd = W. Mongolia Standard Time',
  '(UTC+07:00) Krasnoyarsk = North Asia Standard Time',
  '(UTC+07:00) Novosibirsk = N. Central Asia Standard Time',
  '(UTC+07:00) Tomsk = Tomsk Standard Time',
  '(UTC+08:00) Beijing, Chongqing, Hong Kong SAR, Urumqi = China Standard Time',
  '(UTC+08:00) Irkutsk = North Asia East Standard Time',
  '(UTC+08:00) Kuala Lumpur, Singapore = Singapore Standard Time',
  '(UTC+08:00) Perth = W. Australia Standard Time',
  '(UTC+08:00) Taipei = Taipei Standard Time',
  '(UTC+08:00) Ulaanbaatar = Ulaanbaatar Standard Time',
  '(UTC+08:45) Eucla = Aus Central W. Standard Time',
  '(UTC+09:00) Chita = Transbaikal Standard Time',
  '(UTC+09:00) Osaka, Sapporo, Tokyo = Tokyo Standard Time',
  '(UTC+09:00) Pyongyang = North Korea Standard Time',
  '(UTC+09:00) Seoul = Korea Standard Time',
  '(UTC+09:00) Yakutsk = Yakutsk Standard Time',
  '(UTC+09:30) Adelaide = Cen. Australia Standard Time',
  '(UTC+09:30) Darwin = AUS Central Standard Time',
  '(UTC+10:00) Brisbane = E. Australia Standard Time',
  '(UTC+10:00) Canberra, Melbourne, Sydney = AUS Eastern Standard Time',
  '(UTC+10:00) Guam, Port Moresby = West Pacific Standard Time',
  '(UTC+10:00) Hobart = Tasmania Standard Time',
  '(UTC+10:00) Vladivostok = Vladivostok Standard Time',
  '(UTC+10:30) Lord Howe Island = Lord Howe Standard Time',
  '(UTC+11:00) Bougainville Island = Bougainville Standard Time',
  '(UTC+11:00) Chokurdakh = Russia Time Zone 10',
  '(UTC+11:00) Magadan = Magadan Standard Time',
  '(UTC+11:00) Norfolk Island = Norfolk Standard Time',
  '(UTC+11:00) Sakhalin = Sakhalin Standard Time',
  '(UTC+11:00) Solomon Is., New Caledonia = Central Pacific Standard Time',
  '(UTC+12:00) Anadyr, Petropavlovsk-Kamchatsky = Russia Time Zone 11',
  '(UTC+12:00) Auckland, Wellington = New Zealand Standard Time',
  '(UTC+12:00) Coordinated Universal Time+12 = UTC+12',
  '(UTC+12:00) Fiji = Fiji Standard Time',
  '(UTC+12:45) Chatham Islands = Chatham Islands Standard Time',
  '(UTC+13:00) Coordinated Universal Time+13 = UTC+13',
  "(UTC+13:00) Nuku'alofa = Tonga Standard Time",
  '(UTC+13:00) Samoa = Samoa Standard Time',
  '(UTC+14:00) Kiritimati Island = Line Islands Standard Time',
];

/** Names from other programs, languages and years. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'America/New_York': [
    '(GMT-05:00) Eastern Time (US & Canada)',
    '(GMT-04:00) Eastern Time (US & Canada)',
    '(UTC-05:00) Eastern Time (US and Canada)',
    '(GMT-05.00) Eastern Time (US & Canada)',
    '(UTC-05:00) Eastern Time (USA & Kanada)',
    '(UTC-05:00) Est (É.-U. et Canada)',
    '(UTC-05:00) Hora del este (EE.UU. y Canadá)',
    'Eastern Time (US & Canada)',
    'Eastern Time',
    'Eastern Daylight Time',
    'Eastern Standard Time 1',
    'Eastern',
    'US/Eastern',
    'America/New York',
    '/freeassociation.sourceforge.net/America/New_York',
    '/softwarestudio.org/Olson_20011030_5/America/New_York',
  ],
  'America/Chicago': ['(GMT-06:00) Central Time (US & Canada)', 'Central Time', 'Central'],
  'America/Denver': ['(GMT-07:00) Mountain Time (US & Canada)', 'Mountain Daylight Time', 'Mountain'],
  'America/Los_Angeles': [
    '(GMT-08:00) Pacific Time (US & Canada)',
    '(GMT-08:00) Pacific Time (US & Canada); Tijuana',
    '(UTC-08:00) Pacífico (EE.UU. y Canadá)',
    'Pacific Time; Tijuana',
    'Pacific Daylight Time',
  ],
  'America/Tijuana': ['(GMT-08:00) Tijuana, Baja California', 'Pacific Daylight Time (Mexico)'],
  'America/Halifax': ['(GMT-04:00) Atlantic Time (Canada)', '(UTC-04:00) Atlantik (Kanada)', 'Atlantic'],
  'America/St_Johns': ['(GMT-03:30) Newfoundland', 'Newfoundland And Labrador Standard Time'],
  'America/Mexico_City': ['Mexico Standard Time', '(GMT-06:00) Mexico City, Tegucigalpa', 'Mexico'],
  'America/Mazatlan': ['Mexico Standard Time 2', '(GMT-07:00) Chihuahua, La Paz, Mazatlan - Old'],
  'America/Indianapolis': ['Indiana', 'US Eastern'],
  'Pacific/Midway': ['(GMT-11:00) Midway Island, Samoa'],
  'Etc/GMT+12': ['(GMT-12:00) Eniwetok, Kwajalein', 'Dateline'],
  'Etc/GMT+2': ['(UTC-02:00) Mid-Atlantic - Old', 'Mid-Atlantic Standard Time', 'Mid-Atlantic'],
  'Europe/London': ['Greenwich Mean Time', 'GMT Daylight Time'],
  'Europe/Dublin': [
    '(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London',
    'Greenwich Mean Time; Dublin, Edinburgh, London',
  ],
  'Europe/Amsterdam': [
    '(GMT+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna',
    '(GMT+01.00) Amsterdam / Berlin / Bern / Rome / Stockholm / Vienna',
    '(UTC+01:00) Amsterdam, Berlin, Bern, Rom, Stockholm, Wien',
    '(UTC+02:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna',
    'Amsterdam, Berlino, Berna, Roma, Stoccolma, Vienna',
  ],
  'Europe/Berlin': ['W. Europe', '/mozilla.org/20070129_1/Europe/Berlin'],
  'Europe/Vienna': ['(UTC+01:00) Vienna', '(UTC+01:00) Europe/Vienna'],
  'Europe/Paris': ['Paris, Madrid, Brussels, Copenhagen', 'Romance'],
  'Europe/Madrid': ['(UTC+01:00) Bruselas, Copenhague, Madrid, París'],
  'Europe/Belgrade': ['Belgrade, Pozsony, Budapest, Ljubljana, Prague'],
  'Europe/Prague': ['Prague, Central Europe'],
  'Europe/Sarajevo': ['(GMT+01:00) Sarajevo, Skopje, Sofija, Vilnius, Warsaw, Zagreb'],
  'Europe/Warsaw': ['Central European Time'],
  'Europe/Brussels': ['/freeassociation.sourceforge.net/Tzfile/Europe/Brussels'],
  'Europe/Helsinki': ['(GMT+02:00) Helsinki, Riga, Tallinn'],
  'Europe/Kiev': ['FLE'],
  'Europe/Athens': ['(GMT+02:00) Athens, Istanbul, Minsk'],
  'Europe/Bucharest': ['(GMT+02:00) Bucharest', 'GTB'],
  'Europe/Istanbul': ['(UTC+02:00) Istanbul'],
  'Europe/Moscow': [
    '(GMT+03:00) Moscow, St. Petersburg, Volgograd',
    '(UTC+04:00) Moscow, St. Petersburg, Volgograd',
    'Russia TZ 2 Standard Time',
  ],
  'Asia/Jerusalem': ['Jerusalem Standard Time', 'Israel, Jerusalem Standard Time'],
  'Asia/Yerevan': ['Armenian Standard Time'],
  'Asia/Baku': ['(GMT+04:00) Baku, Tbilisi, Yerevan'],
  'Asia/Novosibirsk': ['(GMT+06:00) Almaty, Novosibirsk'],
  'Asia/Singapore': ['Malay Peninsula Standard Time'],
  'Asia/Calcutta': ['Kolkata, Chennai, Mumbai, New Delhi, India Standard Time', 'India'],
  'Asia/Kamchatka': ['Kamchatka Standard Time', '(UTC+12:00) Petropavlovsk-Kamchatsky - Old'],
  'Pacific/Fiji': ['(GMT+12:00) Fiji, Kamchatka, Marshall Is.', 'Fiji Islands Standard Time'],
  'Pacific/Guadalcanal': ['(GMT+11:00) Magadan, Solomon Is., New Caledonia'],
  'Australia/Lord_Howe': ['(GMT+10:30) Lord Howe Island', 'Lord Howe'],
  'Pacific/Chatham': ['(GMT+12:45) Chatham Islands'],
  'Asia/Seoul': ['Seoul, Korea Standard time'],
  'America/Argentina/Salta': ['/mozilla.org/20050126_1/America/Argentina/Salta'],
  UTC: [
    'tzone://Microsoft/Utc',
    'Universal Coordinated Time',
    '(UTC) Co-ordinated Universal Time',
    'GMT+00:00',
  ],
  'Etc/GMT+5': ['GMT-0500', 'UTC-5', '(UTC-05:00) Nowhere', 'GMT-05:00'],
  'Etc/GMT-1': ['GMT+0100', '(GMT+01:00)', '+01:00'],
};

/** Zones of Windows' names that changed after CLDR's data in windows-iana. */
const NEWER: Readonly<Record<string, string>> = {
  'Mountain Standard Time (Mexico)': 'America/Mazatlan',
  'Central Asia Standard Time': 'Asia/Bishkek',
};

const zoneOfWindows = (windows: string): string =>
  NEWER[windows] ??
  WINDOWS_TO_IANA_MAP.find(({ windowsName, territory }) => windowsName === windows && territory === '001')
    ?.iana[0] ??
  '';

/** Names of one zone, such as Asia/Calcutta and Asia/Kolkata, are equal. */
const isZone = (found: unknown, expected: string): boolean =>
  typeof found === 'string' &&
  new Temporal.ZonedDateTime(0n, found).equals(new Temporal.ZonedDateTime(0n, expected));

/** A list of cities is one of them, where Windows' own name for them all may be another. */
function hasClockOf(windows: string, name: string): boolean {
  const zone = resolveZone(name, undefined);
  const expected = zoneOfWindows(windows);
  const times = Array.from({ length: 25 * 24 }, (_, index) => Date.UTC(2012, 0, 1 + index * 15));
  return typeof zone === 'string' && times.every((at) => offsetAt(zone, at) === offsetAt(expected, at));
}

describe('the name of a zone without a VTIMEZONE', () => {
  const rows = WINDOWS.map((row) => row.split(' = '));

  it(`is what Windows shows: all ${rows.length} names are those zones`, () => {
    const wrong = rows.filter(([name = '', windows = '']) => !hasClockOf(windows, name));

    assert.deepEqual(
      wrong.map(([name = '']) => [name, resolveZone(name, undefined)]),
      [],
    );
  });

  it('is what Windows shows without the offset, or with GMT before it', () => {
    const named = rows.filter(([name = '']) => !/Astana|Universal|La Paz/.test(name));
    const written = named.flatMap(([name = '', windows = '']) => [
      [name.replace('UTC', 'GMT'), windows],
      [name.replace(/^\([^)]*\) /, ''), windows],
    ]);
    const wrong = written.filter(([name = '', windows = '']) => !hasClockOf(windows, name));

    assert.deepEqual(
      wrong.map(([name = '']) => [name, resolveZone(name, undefined)]),
      [],
    );
  });

  it('is what the registry of Windows calls it, also where clocks changed since CLDR said so', () => {
    const wrong = rows.filter(
      ([, windows = '']) => !isZone(resolveZone(windows, undefined), zoneOfWindows(windows)),
    );

    assert.deepEqual(wrong, []);
  });

  for (const [zone, names] of Object.entries(NAMES))
    for (const name of names)
      it(`${name} is ${zone}`, () => {
        const found = resolveZone(name, undefined);

        assert.ok(isZone(found, zone), JSON.stringify(found));
      });

  for (const name of [
    'Customized Time Zone',
    'Local Time',
    'Standard Time',
    'tzone://Microsoft/Custom',
    'Mars/Phobos',
    '',
    '()',
    'a, b; c',
  ])
    it(`${name} is no zone`, () => {
      assert.equal(resolveZone(name, undefined), undefined);
    });

  it('stays an offset of its own where no zone has it in name', () => {
    const zone = resolveZone('GMT+0545', undefined);

    assert.ok(typeof zone === 'object' && zone.observances[0]?.offsetTo === 20_700);
  });
});
