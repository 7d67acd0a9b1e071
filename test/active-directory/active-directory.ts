/** Against Samba's Active Directory, which run.sh starts. By hand: npm run test:ad. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import {
  activeDirectoryDefaults,
  type LdapSettings,
  ldapDefaults,
} from '../../src/access/providers/connections/kinds/ldap-settings.ts'
import { createDirectory } from '../../src/access/providers/ldap/directory.ts'
import { LdapFailure } from '../../src/access/providers/ldap/failure.ts'
import { callGuard } from '../../src/http/outgoing/guard.ts'
import { resolver } from '../../src/http/outgoing/lookup.ts'

const base = 'DC=corp,DC=example,DC=com'
const stop = new AbortController()
after(() => stop.abort())

function directoryFor(changes: Partial<LdapSettings> = {}) {
  return createDirectory({
    settings: {
      ...ldapDefaults,
      ...activeDirectoryDefaults,
      servers: ['ldaps://dc1.corp.example.com'],
      ca_certificate: readFileSync(process.env.ROLLBOOK_TEST_AD_CA ?? '', 'utf8'),
      bind_dn: `CN=rollbook,CN=Users,${base}`,
      user_base: base,
      ...changes,
    },
    password: 'password of rollbook',
    mayCall: callGuard(['127.0.0.1']),
    resolve: resolver({ stopped: stop.signal }),
    clock: Date.now,
    stopped: stop.signal,
  })
}

const passwordOf = (name: string) => `password of ${name}`

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof LdapFailure, `it was ${error}`)
  return error.reason
}

describe("Samba's Active Directory", () => {
  it('signs users in by each of their names, over ldaps and StartTLS', async () => {
    const subjects = new Set<string>()
    for (const servers of [['ldaps://dc1.corp.example.com'], ['ldap://dc1.corp.example.com']]) {
      const directory = directoryFor({ servers, start_tls: servers[0]?.startsWith('ldap:') === true })
      for (const name of ['ada', 'ada@corp.example.com', 'ada@example.com']) {
        const { subject, claims } = await directory.verify(name, passwordOf('ada'))
        assert.match(subject, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        assert.equal(claims.email, 'ada@example.com')
        subjects.add(subject)
      }
    }
    assert.equal(subjects.size, 1)
  })

  it('lets users bind by their principal name, without a service account', async () => {
    const directory = directoryFor({ bind_dn: null, user_bind_name: '{username}@corp.example.com' })
    const { claims } = await directory.verify('ada', passwordOf('ada'))
    assert.ok((claims.groups as string[]).includes('everyone'))
    assert.equal(await reasonOf(directory.verify('ada', 'wrong')), 'wrong_password')
  })

  it('reads groups in groups and the primary group from tokenGroups', async () => {
    const ada = await directoryFor().verify('ada', passwordOf('ada'))
    const names = ada.claims.groups as string[]
    for (const name of ['engineers', 'staff', 'everyone', 'Domain Users']) assert.ok(names.includes(name), `${names}`)
    const grace = await directoryFor().verify('grace', passwordOf('grace'))
    assert.ok((grace.claims.groups as string[]).includes('primary'))
    const byMemberOf = await directoryFor({ group_source: 'member_of' }).verify('ada', passwordOf('ada'))
    assert.deepEqual((byMemberOf.claims.groups as string[]).sort(), ['engineers', 'everyone', 'staff'])
  })

  it('tells why it refuses', async () => {
    const directory = directoryFor()
    assert.equal(await reasonOf(directory.verify('ada', 'wrong')), 'wrong_password')
    assert.equal(await reasonOf(directory.verify('nobody', 'wrong')), 'unknown_user')
    assert.equal(await reasonOf(directory.verify('ad*', passwordOf('ada'))), 'unknown_user')
    assert.equal(await reasonOf(directory.verify('disabled', passwordOf('disabled'))), 'account_disabled')
    assert.equal(await reasonOf(directory.verify('expired', passwordOf('expired'))), 'account_expired')
    assert.equal(await reasonOf(directory.verify('mustchange', passwordOf('mustchange'))), 'password_must_change')
    for (let tries = 0; tries < 3; tries++) await reasonOf(directory.verify('locked', 'wrong'))
    assert.equal(await reasonOf(directory.verify('locked', passwordOf('locked'))), 'account_locked')
    assert.equal(await reasonOf(directory.verify('dc1$', 'wrong')), 'unknown_user')
  })

  it('refuses passwords without TLS itself', async () => {
    const insecure = directoryFor({ servers: ['ldap://127.0.0.1'], ca_certificate: null })
    assert.equal(await reasonOf(insecure.verify('ada', passwordOf('ada'))), 'service_refused')
  })

  it('lists its users in pages', async () => {
    const names = new Set<string>()
    let disabled = 0
    for await (const { users, skipped } of directoryFor({ group_source: 'none' }).users()) {
      assert.deepEqual(skipped, [])
      for (const { subject, endState: ended } of users) {
        names.add(subject)
        if (ended) disabled++
      }
    }
    assert.ok(names.size >= 1607, `${names.size}`)
    assert.ok(disabled >= 1)
  })
})
