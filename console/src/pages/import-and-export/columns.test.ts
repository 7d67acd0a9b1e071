import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cellOf, guessMapping, mappingFaults, mapRecord, members } from './columns.ts'

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
    ['Login,Name,Mail,E-Mail', ['username', null, 'email', null]],
    ['user_id,username,kind,locale,role', ['user_id', 'username', 'kind', 'locale', 'role']],
    ['user_id,id,username,has_password', ['user_id', 'external_id', 'username', null]],
    ['rejected_row,username,rejected_code,rejected_detail', [null, 'username', null, null]],
  ]
  for (const [header, expected] of cases) {
    it(`reads ${header}`, () => assert.deepEqual(guessMapping(header.split(',')), expected))
  }

  it('assigns no member to two columns, whatever their names', () => {
    const name = fc.oneof(fc.constantFrom(...members, 'Name', 'Mail', 'Login', 'ID'), fc.string())
    fc.assert(
      fc.property(fc.array(name), (header) => {
        const mapping = guessMapping(header)
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
