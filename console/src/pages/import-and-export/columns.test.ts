import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  cellOf,
  guessMapping,
  leftOut,
  type Mapping,
  mappingFaults,
  mapRecord,
  ownMembers,
  type Target,
  typesOf,
  undefinedAttributes,
} from './columns.ts'

const bare: Target = { attributes: [], labels: {} }
const target: Target = {
  attributes: [
    { name: 'department', label: 'Abteilung', type: 'string' },
    { name: 'employee_number', label: 'Personalnummer', type: 'string' },
    { name: 'email', label: 'E-Mail', type: 'email' },
    { name: 'entry', label: 'تاريخ الدخول', type: 'date' },
    { name: 'checked', label: 'Checked', type: 'datetime' },
    { name: 'remote', label: 'Remote', type: 'boolean' },
    { name: 'tags', label: 'Tags', type: 'string[]' },
  ],
  labels: { last_login_at: 'آخر تسجيل دخول', external_id: 'External ID' },
}

describe('mapping columns', () => {
  const cases: [string, (string | null)[]][] = [
    ['username,email,first_name,last_name,role', ['username', 'email', 'first_name', 'last_name', 'role']],
    [
      'Benutzername,E-Mail-Adresse,Vorname,Nachname,Aktiv,Abteilung',
      ['username', 'email', 'first_name', 'last_name', 'active', null],
    ],
    [
      'Kürzel,Vorname,Name,Personal-Nr.,Geändert am',
      ['username', 'first_name', 'last_name', 'external_id', 'updated_at'],
    ],
    ['sAMAccountName,mail,givenName,sn,whenCreated', ['username', 'email', 'first_name', 'last_name', null]],
    ['Login,Name,Mail,E-Mail', ['username', null, null, 'email']],
    ['user_id,username,kind,locale,role', ['user_id', 'username', 'kind', 'locale', 'role']],
    ['user_id,id,username,has_password', ['user_id', 'external_id', 'username', null]],
    ['rejected_row,username,rejected_code,rejected_detail', [null, 'username', null, null]],
  ]
  for (const [header, expected] of cases) {
    it(`reads ${header}`, () => assert.deepEqual(guessMapping(header.split(','), bare), expected))
  }

  const withAttributes: [string, Mapping][] = [
    ['user_id,username,attributes.department', ['user_id', 'username', 'attributes.department']],
    [
      'Login,Department,Personalnr,Employee Number',
      ['username', 'attributes.department', 'external_id', 'attributes.employee_number'],
    ],
    [
      'username,ABTEILUNG,Personal-Nummer,E-Mail',
      ['username', 'attributes.department', 'attributes.employee_number', 'email'],
    ],
    ['email,attributes.email', ['email', 'attributes.email']],
    ['username,organization_id', ['username', 'organization']],
    ['username,تاريخ الدخول,آخر تسجيل دخول', ['username', 'attributes.entry', 'last_login_at']],
    ['username,department,attributes.department', ['username', null, 'attributes.department']],
    ['username,attributes.shoe_size,has_password', ['username', null, null]],
  ]
  for (const [header, expected] of withAttributes) {
    it(`finds attributes by column, name and label in ${header}`, () =>
      assert.deepEqual(guessMapping(header.split(','), target), expected))
  }

  it('takes the columns of an export without knowing the definitions', () => {
    const unread = { ...target, attributes: undefined }
    assert.deepEqual(guessMapping(['username', 'attributes.size', 'Abteilung'], unread), [
      'username',
      'attributes.size',
      null,
    ])
  })

  it('names the columns that are left out, and the attributes that are not defined', () => {
    const header = ['username', 'attributes.shoe_size', 'Floor', 'rejected_row']
    assert.deepEqual(leftOut(header, guessMapping(header, target)), ['attributes.shoe_size', 'Floor'])
    assert.deepEqual(undefinedAttributes(header, target), ['attributes.shoe_size'])
  })

  it('assigns no member to two columns, whatever their names', () => {
    const name = fc.oneof(
      fc.constantFrom(...ownMembers, 'Name', 'Mail', 'Login', 'ID', 'attributes.tags', 'Tags', 'Abteilung'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(name), (header) => {
        const mapping = guessMapping(header, target)
        assert.equal(mapping.length, header.length)
        assert.deepEqual(mappingFaults(mapping).repeated, [])
      }),
    )
  })

  it('reports members with two columns, and rows with neither username nor email', () => {
    assert.deepEqual(mappingFaults(['email', null, 'email']), { repeated: ['email'], isNameless: false })
    assert.deepEqual(mappingFaults(['first_name', null]), { repeated: [], isNameless: true })
    assert.deepEqual(mappingFaults(['username', null, null]), { repeated: [], isNameless: false })
  })
})

describe('converting cells', () => {
  it("reads the spreadsheets' words for yes and no, and leaves others to the server", () => {
    assert.deepEqual(
      ['Ja', ' TRUE ', '1', 'nein', 'Inaktiv', '0', 'perhaps', ''].map((cell) => cellOf('active', cell)),
      ['true', 'true', 'true', 'false', 'false', 'false', 'perhaps', ''],
    )
  })

  it('reads a decimal comma of a number where a semicolon separates cells', () => {
    const read = (cell: string, hasComma: boolean) => cellOf('attributes.share', cell, 'number', hasComma)
    assert.deepEqual([read('1,5', true), read(' -1,500 ', true), read('1,5', false)], ['1.5', '-1.500', '1,5'])
    assert.equal(cellOf('attributes.note', '1,5', 'string', true), '1,5')
  })

  it('reads dates without a zone as UTC', () => {
    assert.deepEqual(
      ['2024-03-01', '2024-03-01 10:20', '1.3.2024', '01.03.2024 10:20:30', '2024-03-01T10:20:30+02:00', 'spring'].map(
        (cell) => cellOf('created_at', cell),
      ),
      [
        '2024-03-01T00:00:00Z',
        '2024-03-01T10:20:00Z',
        '2024-03-01T00:00:00Z',
        '2024-03-01T10:20:30Z',
        '2024-03-01T10:20:30+02:00',
        'spring',
      ],
    )
  })

  it('reads days, instants and yes or no in attributes, and leaves texts and lists as they are', () => {
    const types = typesOf(target.attributes)
    const mapping: Mapping = [
      'attributes.entry',
      'attributes.checked',
      'attributes.remote',
      'attributes.department',
      'attributes.tags',
    ]
    assert.deepEqual(mapRecord(mapping, ['1.11.2026', '24.11.2026 10:30', 'Ja', " '=1, 2 ", '["a;b"] '], types), [
      '2026-11-01',
      '2026-11-24T10:30:00Z',
      'true',
      " '=1, 2 ",
      '["a;b"] ',
    ])
    const exported = ['2026-11-01', '2026-11-24T09:30:00.123Z', 'false', 'a "b"\nc', 'x;y']
    assert.deepEqual(mapRecord(mapping, exported, types), exported)
  })

  it('trims cells, but not passwords', () => {
    assert.deepEqual(mapRecord(['username', null, 'password'], [' ada ', 'left out', ' with spaces ']), [
      'ada',
      ' with spaces ',
    ])
  })

  it('makes the server refuse a row with too few or too many cells', () => {
    for (const record of [['ada'], ['ada', 'x', 'y', 'z']])
      assert.equal(mapRecord(['username', null, 'email'], record).length, 3)
  })
})
