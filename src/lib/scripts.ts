/**
 * Which scripts a text mixes, by Unicode TS 39 §5.2, "Moderately Restrictive": one script, or those that Chinese,
 * Japanese and Korean are written with, with or without Latin; or Latin and one other script in common use, but not
 * Cyrillic or Greek, whose letters look like Latin ones.
 */

// UAX 31, table 5: the scripts in common modern use.
const recommended = [
  ...['Latin', 'Arabic', 'Armenian', 'Bengali', 'Bopomofo', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek'],
  ...['Gujarati', 'Gurmukhi', 'Han', 'Hangul', 'Hebrew', 'Hiragana', 'Kannada', 'Katakana', 'Khmer', 'Lao'],
  ...['Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
]
// The other scripts; a name may use one of them. A script that Unicode adds later is not listed, so mixing it is
// refused.
const others = [
  ...['Adlam', 'Ahom', 'Anatolian_Hieroglyphs', 'Avestan', 'Balinese', 'Bamum', 'Bassa_Vah', 'Batak', 'Bhaiksuki'],
  ...[
    'Brahmi',
    'Braille',
    'Buginese',
    'Buhid',
    'Canadian_Aboriginal',
    'Carian',
    'Caucasian_Albanian',
    'Chakma',
    'Cham',
  ],
  ...['Cherokee', 'Chorasmian', 'Coptic', 'Cuneiform', 'Cypriot', 'Cypro_Minoan', 'Deseret', 'Dives_Akuru', 'Dogra'],
  ...['Duployan', 'Egyptian_Hieroglyphs', 'Elbasan', 'Elymaic', 'Glagolitic', 'Gothic', 'Grantha', 'Gunjala_Gondi'],
  ...['Hanifi_Rohingya', 'Hanunoo', 'Hatran', 'Imperial_Aramaic', 'Inscriptional_Pahlavi', 'Inscriptional_Parthian'],
  ...['Javanese', 'Kaithi', 'Kawi', 'Kayah_Li', 'Kharoshthi', 'Khitan_Small_Script', 'Khojki', 'Khudawadi', 'Lepcha'],
  ...['Limbu', 'Linear_A', 'Linear_B', 'Lisu', 'Lycian', 'Lydian', 'Mahajani', 'Makasar', 'Mandaic', 'Manichaean'],
  ...['Marchen', 'Masaram_Gondi', 'Medefaidrin', 'Meetei_Mayek', 'Mende_Kikakui', 'Meroitic_Cursive'],
  ...['Meroitic_Hieroglyphs', 'Miao', 'Modi', 'Mongolian', 'Mro', 'Multani', 'Nabataean', 'Nag_Mundari', 'Nandinagari'],
  ...['New_Tai_Lue', 'Newa', 'Nko', 'Nushu', 'Nyiakeng_Puachue_Hmong', 'Ogham', 'Ol_Chiki', 'Old_Hungarian'],
  ...['Old_Italic', 'Old_North_Arabian', 'Old_Permic', 'Old_Persian', 'Old_Sogdian', 'Old_South_Arabian', 'Old_Turkic'],
  ...['Old_Uyghur', 'Osage', 'Osmanya', 'Pahawh_Hmong', 'Palmyrene', 'Pau_Cin_Hau', 'Phags_Pa', 'Phoenician'],
  ...['Psalter_Pahlavi', 'Rejang', 'Runic', 'Samaritan', 'Saurashtra', 'Sharada', 'Shavian', 'Siddham', 'SignWriting'],
  ...['Sogdian', 'Sora_Sompeng', 'Soyombo', 'Sundanese', 'Syloti_Nagri', 'Syriac', 'Tagalog', 'Tagbanwa', 'Tai_Le'],
  ...[
    'Tai_Tham',
    'Tai_Viet',
    'Takri',
    'Tangsa',
    'Tangut',
    'Tifinagh',
    'Tirhuta',
    'Toto',
    'Ugaritic',
    'Vai',
    'Vithkuqi',
  ],
  ...['Wancho', 'Warang_Citi', 'Yezidi', 'Yi', 'Zanabazar_Square'],
]

/** Digits, marks and signs that many scripts share count as any of them. */
const textOf = (...scripts: string[]) =>
  new RegExp(`^[${[...scripts, 'Common', 'Inherited'].map((script) => `\\p{scx=${script}}`).join('')}]*$`, 'u')

// Each expression takes V8 up to a millisecond, so all wait for a name with other characters than ASCII. Latin first: most names are.
let accepted: RegExp[] | undefined
const compileAccepted = () => [
  textOf('Latin'),
  textOf('Latin', 'Han', 'Hiragana', 'Katakana'),
  textOf('Latin', 'Han', 'Hangul'),
  textOf('Latin', 'Han', 'Bopomofo'),
  textOf('Cyrillic'),
  textOf('Greek'),
  ...recommended
    .filter((script) => !['Latin', 'Cyrillic', 'Greek'].includes(script))
    .map((one) => textOf('Latin', one)),
]

let single: [script: string, text: RegExp][] | undefined

/** Returns the scripts that a name must not mix, most letters first; undefined if the name is fine. */
export function mixedScripts(text: string): string[] | undefined {
  if (/^[ -~]*$/.test(text)) return undefined
  accepted ??= compileAccepted()
  if (accepted.some((one) => one.test(text))) return undefined
  // Few names get here, so compile the many expressions on first use.
  single ??= [...recommended, ...others].map((script) => [script, textOf(script)])
  if (single.some(([, one]) => one.test(text))) return undefined
  const shared = textOf()
  const counts = new Map<string, number>()
  for (const character of text) {
    if (shared.test(character)) continue
    const [script = 'another script'] = single.find(([, one]) => one.test(character)) ?? []
    counts.set(script, (counts.get(script) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([script]) => script.replaceAll('_', ' '))
}
