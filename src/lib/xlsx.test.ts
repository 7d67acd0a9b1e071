import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { strToU8, type Zippable, zipSync } from 'fflate'
import { readSheet } from 'read-excel-file/universal'
import writeXlsxFile from 'write-excel-file/universal'
import { WorkbookFault, workbookRows } from './xlsx-reader.ts'
import { type Cell, columnName, workbookWriter } from './xlsx-writer.ts'

function written(header: string[], rows: Cell[][], options: { mostRows?: number } = {}): Blob {
  const writer = workbookWriter({ header, sheetName: 'Users', ...options })
  return new Blob([...rows.map((row) => writer.add([row])), writer.end()])
}

async function read(file: Blob, limits: Partial<Parameters<typeof workbookRows>[1]> = {}) {
  const found = []
  for await (const records of workbookRows(file, { mostCells: 100, ...limits })) found.push(...records)
  return found
}

const cellsIn = async (file: Blob) => (await read(file)).map(({ cells }) => cells)
const faultOf = async (file: Blob, limits = {}) =>
  read(file, limits).then(
    () => 'read',
    (error: unknown) => (error instanceof WorkbookFault ? error.code : error),
  )

describe('an Excel file that is written', () => {
  const instant = Date.UTC(2026, 10, 29, 9, 30, 15)

  it('is read by another program with texts, numbers, days and times as such', async () => {
    const rows: Cell[][] = [
      ['=1+1', '007', 12.5, true, { clockMs: instant }, { clockMs: Date.UTC(2026, 10, 29), isDay: true }],
      ['<a> & "b"\nc', 'ß, ü; 😀', -3, false, null, null],
    ]
    const file = written(['text', 'number as text', 'number', 'yes or no', 'time', 'day'], rows)
    const [header, ...found] = await readSheet(file, { trim: false })
    assert.deepEqual(header, ['text', 'number as text', 'number', 'yes or no', 'time', 'day'])
    assert.deepEqual(found, [
      ['=1+1', '007', 12.5, true, new Date(instant), new Date('2026-11-29T00:00:00Z')],
      ['<a> & "b"\nc', 'ß, ü; 😀', -3, false, null, null],
    ])
  })

  it('is read back as it was, whatever its texts contain', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('_x0041_', '\0\x1f\ufffe', ' a ', "'=1", '&amp;'),
    )
    const property = fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 6 }), async (rows) => {
      const filled = rows.map(([a, b]) => [`x${a}`, `${b}x`.normalize()])
      assert.deepEqual(await cellsIn(written(['a', 'b'], filled)), [['a', 'b'], ...filled])
    })
    await fc.assert(property, { numRuns: 60 })
  })

  it('keeps half a character as it is written, and joins two halves', async () => {
    const file = written(['a', 'b'], [['x\ud83dy', '_xD83D_']])
    assert.deepEqual(await cellsIn(file), [
      ['a', 'b'],
      ['x_xD83D_y', '_xD83D_'],
    ])
    const joined = workbook(sheetOf('<row><c t="str"><v>_xD83D__xDE00_</v></c></row>'))
    assert.deepEqual(await cellsIn(joined), [['😀']])
  })

  it('continues on another sheet after as many rows as Excel takes', async () => {
    const rows = Array.from({ length: 5 }, (_, n): Cell[] => [`user.${n}`])
    const file = written(['username'], rows, { mostRows: 3 })
    for (const [sheet, expected] of [
      [1, ['user.0', 'user.1']],
      [2, ['user.2', 'user.3']],
      [3, ['user.4']],
    ] as const) {
      const [header, ...found] = await readSheet(file, sheet)
      assert.deepEqual([header, found.flat()], [['username'], expected])
    }
  })

  it('cuts a text that is longer than Excel takes, and writes a number of more than 15 digits as text', async () => {
    const [, row = []] = await cellsIn(written(['a', 'b'], [['x'.repeat(40_000), 1.2345e19]]))
    assert.deepEqual([row[0]?.length, row[0]?.at(-1), row[1]], [32_767, '…', '12345000000000000000'])
  })

  it('names its columns as Excel does', () => {
    assert.deepEqual([0, 25, 26, 701, 702, 16_383].map(columnName), ['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD'])
  })
})

const sheetOf = (rows: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`
const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`

/** A workbook as other programs write one. */
function workbook(sheet: string, more: Zippable = {}, workbookXml?: string): Blob {
  const parts: Zippable = {
    '_rels/.rels': strToU8(`<Relationships>${relation('rId1', 'officeDocument', '/xl/workbook.xml')}</Relationships>`),
    'xl/workbook.xml': strToU8(
      workbookXml ?? '<workbook><sheets><sheet name="A" sheetId="1" r:id="rId7"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships>${relation('rId7', 'worksheet', 'worksheets/sheet1.xml')}${relation('rId8', 'sharedStrings', '../xl/sharedStrings.xml')}${relation('rId9', 'styles', 'styles.xml')}</Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(sheet),
    ...more,
  }
  return new Blob([zipSync(parts)])
}

describe('an Excel file of another program', () => {
  it('is read with its texts, numbers and dates', async () => {
    const date = new Date('2026-11-29T09:30:15Z')
    const buffer = await writeXlsxFile([
      [{ value: 'username' }, { value: 'n' }, { value: 'day' }, { value: 'time' }, { value: 'yes' }],
      [
        { value: 'ada & "b"' },
        { value: 0.1 + 0.2 },
        { value: new Date('2026-11-29T00:00:00Z'), format: 'dd.mm.yyyy' },
        { value: date, format: 'yyyy-mm-dd hh:mm' },
        { value: true },
      ],
    ]).toBlob()
    assert.deepEqual(await cellsIn(buffer), [
      ['username', 'n', 'day', 'time', 'yes'],
      ['ada & "b"', '0.3', '2026-11-29', '2026-11-29T09:30:15.000Z', 'true'],
    ])
  })

  it('is read where cells are left out, texts are in runs, and elements have prefixes', async () => {
    const shared =
      '<x:sst xmlns:x="m"><x:si><x:t>user</x:t></x:si><x:si><x:r><x:t>Ada </x:t></x:r><x:r><x:t>L.</x:t></x:r><x:rPh><x:t>x</x:t></x:rPh></x:si></x:sst>'
    const rows =
      '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>c</t></is></c><c r="D2"/></row>' +
      '<row r="3" spans="1:3"/>' +
      '<row r="5"><c r="B5" t="str"><f>1&lt;2</f><v><![CDATA[a<b]]></v></c><c r="A5" t="s"><v>1</v></c></row>' +
      '<row><c><v>1.2345678901E10</v></c><c/><c t="e"><v>#N/A</v></c><c><v>9</v></c></row>'
    const found = await read(workbook(sheetOf(rows), { 'xl/sharedStrings.xml': strToU8(shared) }))
    assert.deepEqual(found, [
      { cells: ['user', '', 'c'], count: 3, line: 2 },
      { cells: ['Ada L.', 'a<b', ''], count: 3, line: 5 },
      { cells: ['12345678901', '', '#N/A', '9'], count: 4, line: 6 },
    ])
  })

  it('is read by the formats of its cells, and by the calendar of old Macs', async () => {
    const codes = ['General', '0.00', 'dd/mm/yyyy', '[$-407]d. mmmm yyyy', 'hh:mm:ss', '"day" 0', '[Red]0', '[h]:mm']
    const styles = `<styleSheet><numFmts>${codes.map((code, n) => `<numFmt numFmtId="${170 + n}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${[0, 14, 22, ...codes.map((_, n) => 170 + n)].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
    const cells = Array.from({ length: 11 }, (_, n) => `<c s="${n}"><v>46355.5</v></c>`).join('')
    const [day, time, plain] = ['2026-11-29T12:00:00.000Z', '2026-11-29T12:00:00.000Z', '46355.5']
    const more = { 'xl/styles.xml': strToU8(styles) }
    assert.deepEqual(await cellsIn(workbook(sheetOf(`<row>${cells}</row>`), more)), [
      [plain, day, time, plain, plain, day, day, time, plain, plain, time],
    ])
    const from1904 =
      '<workbook><workbookPr date1904="1"/><sheets><sheet name="A" sheetId="1" r:id="rId7"/></sheets></workbook>'
    assert.deepEqual(await cellsIn(workbook(sheetOf('<row><c s="1"><v>44893</v></c></row>'), more, from1904)), [
      ['2026-11-29'],
    ])
  })

  it('keeps the digits of a whole number, and the text of each cell to itself', async () => {
    const rows =
      '<row><c><v>1234567890123456789</v></c><c t="n"><is><t>lost</t></is><v>-2</v></c><c t="inlineStr"><is><t>c</t></is></c></row>'
    assert.deepEqual(await cellsIn(workbook(sheetOf(rows))), [['1234567890123456789', '-2', 'c']])
  })

  it('is read without formats that are longer than Excel allows', async () => {
    const code = '['.repeat(1_000_000)
    const styles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="${code}"/><numFmt numFmtId="171" formatCode="${code.slice(0, 254)}d"/></numFmts><cellXfs>${'<xf numFmtId="170"/><xf numFmtId="171"/>'.repeat(30_000)}</cellXfs></styleSheet>`
    const rows = '<row><c s="0"><v>46355</v></c><c s="1"><v>46355</v></c></row>'
    assert.deepEqual(await cellsIn(workbook(sheetOf(rows), { 'xl/styles.xml': strToU8(styles) })), [
      ['46355', '2026-11-29'],
    ])
  })

  it('is read whatever its relations to other files are', async () => {
    const external = relation('rId1', 'worksheet', 'http://[').replace('/>', ' TargetMode="External"/>')
    const relations = `<Relationships>${external}${relation('rId7', 'worksheet', 'worksheets/sheet1.xml')}</Relationships>`
    const more = { 'xl/_rels/workbook.xml.rels': strToU8(relations) }
    assert.deepEqual(await cellsIn(workbook(sheetOf('<row><c><v>1</v></c></row>'), more)), [['1']])
  })

  it('is read from its first sheet that is visible', async () => {
    const sheets =
      '<workbook><sheets><sheet name="B" state="hidden" r:id="rId1"/><sheet name="A" r:id="rId7"/></sheets></workbook>'
    assert.deepEqual(await cellsIn(workbook(sheetOf('<row><c><v>1</v></c></row>'), {}, sheets)), [['1']])
  })
})

describe('a file that is no Excel file to be read', () => {
  const row = '<row><c><v>1</v></c></row>'
  const ole = (text: string) =>
    new Blob([new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), Buffer.from(text, 'utf16le')])
  const zipOf = (name: string) => new Blob([zipSync({ [name]: strToU8('x') })])
  const cases: [string, Blob, string][] = [
    ['one of before 2007', ole('Workbook'), 'old_excel'],
    ['one with a password', ole('EncryptionInfo EncryptedPackage'), 'password'],
    ['another ZIP file', zipOf('readme.txt'), 'not_a_workbook'],
    ['a document of another kind', workbook(sheetOf(row), {}, '<document/>'), 'not_a_workbook'],
    ['an OpenDocument', zipOf('content.xml'), 'other_spreadsheet'],
    ['a binary workbook', zipOf('xl/workbook.bin'), 'other_spreadsheet'],
    ['one that is cut', workbook(sheetOf(row)).slice(0, 300), 'damaged'],
    ['one without the end of its sheet', workbook('<worksheet><sheetData><row>'), 'damaged'],
    ['one with a document type', workbook(`<!DOCTYPE x [<!ENTITY a "b">]>${sheetOf(row)}`), 'damaged'],
    ['one with half a character', workbook(sheetOf('<row><c t="str"><v>&#xD83D;</v></c></row>')), 'damaged'],
    ['one with a row that Excel has not', workbook(sheetOf('<row r="1000000000"/>')), 'damaged'],
    ['one with a row before the first', workbook(sheetOf('<row r="-1"/>')), 'damaged'],
    ...['http://[', '%zz'].map((target): [string, Blob, string] => {
      const relations = `<Relationships>${relation('rId7', 'worksheet', target)}</Relationships>`
      const more = { 'xl/_rels/workbook.xml.rels': strToU8(relations) }
      return [`one with the target ${target}`, workbook(sheetOf(row), more), 'damaged']
    }),
    ['one with an entity', workbook(sheetOf('<row><c t="str"><v>&a;</v></c></row>')), 'damaged'],
    [
      'one with a column that Excel has not',
      workbook(sheetOf('<row><c r="XFE1"><v>1</v></c></row>')),
      'too_many_columns',
    ],
    [
      'one with a hundred thousand columns',
      workbook(sheetOf(`<row>${'<c><v>1</v></c>'.repeat(100_000)}</row>`)),
      'too_many_columns',
    ],
    ['one that unpacks to far more', workbook(sheetOf('<col/>'.repeat(3_000_000))), 'too_large'],
    [
      'one with endless text',
      workbook(sheetOf(`<row><c t="str"><v>${'x'.repeat(2 * 1024 * 1024)}</v></c></row>`)),
      'too_large',
    ],
    [
      'one with a value in many pieces',
      workbook(sheetOf(`<row><c t="str"><v>${'a<b/>'.repeat(70_000)}</v></c></row>`)),
      'too_large',
    ],
    [
      'one with a text in many pieces',
      workbook(sheetOf(`<row><c t="inlineStr"><is><t>${'a<b/>'.repeat(70_000)}</t></is></c></row>`)),
      'too_large',
    ],
    [
      'one with a shared text in many pieces',
      workbook(sheetOf(row), {
        'xl/sharedStrings.xml': strToU8(`<sst><si>${'<r><t>a</t></r>'.repeat(70_000)}</si></sst>`),
      }),
      'too_large',
    ],
    [
      'one with too many styles',
      workbook(sheetOf(row), {
        'xl/styles.xml': strToU8(`<styleSheet><cellXfs>${'<xf/>'.repeat(70_000)}</cellXfs></styleSheet>`),
      }),
      'too_large',
    ],
  ]
  for (const [what, file, expected] of cases) {
    it(`is refused for what it is: ${what}`, async () => assert.equal(await faultOf(file), expected))
  }

  it('is refused if its shared texts are too large', async () => {
    const shared = `<sst>${'<si><t>a text</t></si>'.repeat(2000)}</sst>`
    const file = workbook(sheetOf(row), { 'xl/sharedStrings.xml': strToU8(shared) })
    assert.equal(await faultOf(file, { mostTextBytes: 10_000 }), 'too_large')
  })

  it('is refused, and nothing else happens, whatever bytes are changed', async () => {
    const good = new Uint8Array(await workbook(sheetOf(row.repeat(20))).arrayBuffer())
    const property = fc.asyncProperty(
      fc.nat(good.length - 1),
      fc.nat(255),
      fc.nat(good.length),
      async (at, byte, end) => {
        const bytes = good.slice(0, end > good.length / 2 ? end : good.length)
        bytes[at % bytes.length] = byte
        const outcome = await faultOf(new Blob([bytes]))
        assert.equal(typeof outcome, 'string', String(outcome))
      },
    )
    await fc.assert(property, { numRuns: 150 })
  })
})
