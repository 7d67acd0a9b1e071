import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListedUser } from '../../../../src/sdk/client/index.ts'
import { usersFileName } from './export-name.ts'
import { cellsOf, columnIdsOf, headerOf, type SheetColumn, type SheetLanguage, sheetLine } from './sheet.ts'

const german: SheetLanguage = { locale: 'de', timeZone: 'Europe/Berlin', yes: 'Ja', no: 'Nein' }
const columns: SheetColumn[] = [
  { id: 'username', label: 'Benutzername' },
  { id: 'active', label: 'Aktiv' },
  { id: 'created_at', label: 'Erstellt' },
  { id: 'last_login_at', label: 'Letzte Anmeldung' },
  { id: 'attributes.size', label: '=Größe' },
  { id: 'attributes.joined', label: 'Eintritt', type: 'date' },
  { id: 'groups', label: 'Gruppen' },
  { id: 'effective_roles', label: 'Wirksame Rollen' },
]
const user = {
  username: '=1+1',
  active: false,
  created_at: '2026-07-01T12:00:00.123Z',
  last_login_at: null,
  attributes: { size: 1.5, joined: '2026-11-29' },
  groups: ['A', 'B;C'],
  effective_roles: ['user', 'support'],
} as unknown as ListedUser

describe('a table of users for people', () => {
  it('has labels, the zone of its times, and no formula, split as Excel splits in the language', () => {
    const lines = [headerOf(columns, german), cellsOf(columns, german)(user)].map((cells) => sheetLine(cells, german))
    assert.deepEqual(lines, [
      "Benutzername;Aktiv;Erstellt (Europe/Berlin);Letzte Anmeldung (Europe/Berlin);'=Größe;Eintritt;Gruppen;Wirksame Rollen",
      `'=1+1;Nein;2026-07-01 14:00:00;;1,5;2026-11-29;"A;""B;C""";"user;support"`,
    ])
    const english = { ...german, locale: 'en-GB' }
    assert.match(sheetLine(['a;b', 'c,d', 1.5, true], english), /^a;b,"c,d",1.5,Ja$/)
  })

  it('has the name of the organization, or its id if it was created since', () => {
    const column = [{ id: 'organization', label: 'Organisation' }]
    const toCells = cellsOf(column, german, new Map([['id-1', 'Acme']]))
    const cells = ['id-1', 'id-2', undefined].map((organization_id) =>
      toCells({ ...user, organization_id } as ListedUser),
    )
    assert.deepEqual(cells, [['Acme'], ['id-2'], [null]])
  })

  it('has the columns that the list shows, or all', () => {
    const all = { attributes: ['size'], hasGroups: true, hasOrganizations: false }
    assert.deepEqual(columnIdsOf(['username', 'state', 'attributes.size'], all), [
      'username',
      'first_name',
      'last_name',
      'active',
      'attributes.size',
    ])
    assert.deepEqual(columnIdsOf(undefined, all).slice(-3), ['attributes.size', 'groups', 'effective_roles'])
    assert.ok(!columnIdsOf(undefined, all).includes('organization'))
    assert.ok(columnIdsOf(undefined, { ...all, hasOrganizations: true }).includes('organization'))
    assert.ok(!columnIdsOf(undefined, { ...all, hasGroups: false }).includes('effective_roles'))
  })

  it('is in a file whose name says product, filters and day', () => {
    const now = new Date(2026, 10, 29, 23)
    assert.equal(usersFileName('Orchard', { active: false }, now), 'orchard-users-disabled-2026-11-29')
    assert.equal(
      usersFileName('Orchard', { q: 'Krüger, C', has_signed_in: false, 'attributes.city': 'Köln' }, now),
      'orchard-users-krueger-c-never-signed-in-koeln-2026-11-29',
    )
  })
})
