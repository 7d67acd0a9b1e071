/** Against OpenLDAP. */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { selfSigned } from '../../../../test/proxies/certificate.ts'
import {
  base,
  findSlapd,
  groupBase,
  otherCount,
  people,
  person,
  type Slapd,
  service,
  startSlapd,
} from '../../../../test/slapd.ts'
import { assertWithin } from '../../../../test/time-limit.ts'
import { callGuard } from '../../../http/outgoing/guard.ts'
import { resolver } from '../../../http/outgoing/lookup.ts'
import { type LdapSettings, ldapDefaults } from '../connections/kinds/ldap-settings.ts'
import { createDirectory } from './directory.ts'
import { LdapFailure, type LdapReason } from './failure.ts'

const skip = (await findSlapd()) === undefined ? 'no slapd' : false
let slapd: Slapd
before(async () => {
  const started = skip === false ? await startSlapd() : undefined
  if (started) slapd = started
})
after(() => slapd?.stop())

function settingsFor(changes: Partial<LdapSettings> = {}): LdapSettings {
  const servers = [slapd.url]
  return { ...ldapDefaults, servers, bind_dn: service.dn, user_base: people, group_base: groupBase, ...changes }
}

type More = { password?: string | null; clock?: () => number; limits?: { stepMs?: number; signInMs?: number } }

function directoryFor(t: TestContext, changes: Partial<LdapSettings> = {}, more: More = {}) {
  const stop = new AbortController()
  t.after(() => stop.abort())
  return createDirectory({
    settings: settingsFor(changes),
    password: service.password,
    mayCall: callGuard(['127.0.0.1']),
    resolve: resolver({ stopped: stop.signal }),
    clock: Date.now,
    stopped: stop.signal,
    ...more,
  })
}

function fails(reason: LdapReason, work: Promise<unknown>, detail?: RegExp): Promise<void> {
  return assert.rejects(work, (error) => {
    assert.ok(error instanceof LdapFailure, String(error))
    assert.equal(error.reason, reason, error.message)
    if (detail) assert.match(error.message, detail)
    return true
  })
}

const ada = person('ada')

describe('a sign-in with OpenLDAP', { skip }, () => {
  it('finds the entry, proves the password, and reads names, attributes and groups in groups', async (t) => {
    const directory = directoryFor(t, { read_attributes: ['departmentNumber'] })
    const found = await directory.verify('ada', ada.password)
    assert.match(found.subject, /^[0-9a-f-]{36}$/)
    assert.equal(found.dn, ada.dn)
    const { sub, groups, group_dns, ...claims } = found.claims
    assert.equal(sub, found.subject)
    assert.deepEqual(claims, {
      email: 'ada@example.com',
      given_name: 'Ada',
      family_name: 'Example',
      preferred_username: 'ada',
      departmentNumber: 'Engines',
    })
    assert.deepEqual((groups as string[]).sort(), ['engineers', 'everyone', 'staff'])
    assert.ok((group_dns as string[]).includes(`cn=engineers,${groupBase}`))
    assert.equal(found.referrals, 1, 'counted, and not followed')
  })

  it('refuses a wrong password, an unknown name and two matching entries, each for its reason', async (t) => {
    const directory = directoryFor(t)
    await fails('wrong_password', directory.verify('ada', 'password of grace'))
    await fails('unknown_user', directory.verify('nobody', ada.password))
    await fails('several_users', directory.verify('user13@example.com', person('user13').password))
  })

  it('never binds with an empty password or one with control characters, which this server would accept', async (t) => {
    const { Client } = await import('ldapts')
    const careless = new Client({ url: slapd.url })
    await careless.bind(ada.dn, '') // The trap that this is about.
    await careless.unbind()
    const directory = directoryFor(t)
    for (const password of ['', '\0', `${ada.password}\0`, 'a\nb', '\u0085', '\ud800']) {
      await fails('password_invalid', directory.verify('ada', password))
    }
    const direct = directoryFor(t, { bind_dn: null, user_bind_name: `uid={username},${people}` })
    await fails('password_invalid', direct.verify('ada', ''))
    await fails('settings_invalid', directoryFor(t, {}, { password: '' }).verify('ada', ada.password))
  })

  it('takes a name for a name: nothing in it is a filter or a part of a DN', async (t) => {
    const directory = directoryFor(t)
    const direct = directoryFor(t, { bind_dn: null, user_bind_name: `uid={username},${people}` })
    const attacks = [
      '*',
      'ad*',
      'ada)(uid=*',
      '*)(|(uid=*',
      'ada))(|(uid=ada',
      'ada\\2a',
      '\\61da',
      'ada)(objectClass=*)',
      '(uid=ada)',
      'ada,ou=people',
      'ada+cn=ada',
      `ada,${people}`,
      'ada\\,',
      '#616461',
      'ada;x',
      '"ada"',
      'ada<',
      'ad\\61',
      'a=ada',
    ]
    for (const name of attacks) {
      await fails('unknown_user', directory.verify(name, ada.password))
      await assert.rejects(direct.verify(name, ada.password), (error) => error instanceof LdapFailure, name)
    }
    for (const name of ['', 'ada\0', 'ada\n', 'a'.repeat(321), '\ud800']) {
      await fails('username_invalid', directory.verify(name, ada.password))
    }
    // Neither letters beyond ASCII nor their octets in a filter are mistaken for others.
    const zoe = person('zoë')
    for (const user_filter of [ldapDefaults.user_filter, '(&(uid={username})(cn=Zo\\c3\\ab))']) {
      assert.equal((await directoryFor(t, { user_filter }).verify('zoë', zoe.password)).claims.family_name, 'Ångström')
    }
    // A group whose name has every special character.
    const { claims } = await directory.verify('grace', person('grace').password)
    assert.ok((claims.groups as string[]).includes('admins (of all), "quoted"'))
  })

  it('proves the password of the entry that was found, even if the user binds by a template', async (t) => {
    const direct = { bind_dn: null, user_bind_name: `uid={username},${people}` }
    assert.equal((await directoryFor(t, direct).verify('ada', ada.password)).dn, ada.dn)
    // Mallory binds as herself, and the filter finds another entry.
    const confused = directoryFor(t, { ...direct, user_filter: '(|(uid=ada)(cn=nobody{username}))' })
    await fails('wrong_password', confused.verify('mallory', person('mallory').password))
  })

  it('reads groups by memberOf and by memberUid, and ten levels deep at most', async (t) => {
    const byMemberOf = await directoryFor(t, { group_source: 'member_of' }).verify('ada', ada.password)
    assert.deepEqual((byMemberOf.claims.groups as string[]).sort(), ['engineers', 'everyone', 'staff'])
    const unix = await directoryFor(t, { group_member_attribute: 'memberUid' }).verify('ada', ada.password)
    assert.deepEqual(unix.claims.groups, ['unix'])
    const none = await directoryFor(t, { group_source: 'none' }).verify('ada', ada.password)
    assert.equal(none.claims.groups, undefined)
    const deep = await directoryFor(t).verify('user01', person('user01').password)
    assert.equal((deep.claims.groups as string[]).length, 10)
    await fails(
      'search_refused',
      directoryFor(t, { group_source: 'token_groups' }).verify('ada', ada.password),
      /no tokenGroups/,
    )
  })

  it('says in words what is wrong with the settings', async (t) => {
    const check = (changes: Partial<LdapSettings>, more?: More) => directoryFor(t, changes, more).check()
    assert.equal(await check({}), slapd.url)
    await fails('service_refused', check({}, { password: 'wrong' }), /bind_dn or its password/)
    await fails('search_refused', check({ user_base: `ou=nowhere,${base}` }), /There is no entry ou=nowhere/)
    await fails('search_refused', check({ user_base: 'nonsense' }), /not a distinguished name/)
    await fails('settings_invalid', directoryFor(t, { user_filter: '(uid={username}' }).verify('ada', 'x'), /filter/)
    await fails(
      'subject_missing',
      directoryFor(t, { subject_attribute: 'objectGUID' }).verify('ada', ada.password),
      /objectGUID/,
    )
    await fails('search_refused', check({ user_base: `ou=elsewhere,${people}` }), /referral/)
  })

  it('lists every user in pages, with their groups', async (t) => {
    const directory = directoryFor(t, {
      user_base: base,
      user_filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
    })
    const subjects = new Set<string>()
    let pages = 0
    for await (const page of directory.users()) {
      pages++
      assert.deepEqual(page.skipped, [])
      assert.ok(page.isComplete)
      for (const { subject } of page.users) subjects.add(subject)
    }
    assert.equal(subjects.size, otherCount + 21)
    assert.equal(pages, 3)
  })
})

describe('TLS to OpenLDAP', { skip }, () => {
  const ca_certificate = selfSigned.cert

  it('is used from the beginning (ldaps) or by StartTLS, with the authority of the connection', async (t) => {
    const ldaps = { servers: [slapd.secureUrl], ca_certificate }
    assert.equal((await directoryFor(t, ldaps).verify('ada', ada.password)).server, slapd.secureUrl)
    const startTls = { start_tls: true, ca_certificate }
    assert.equal((await directoryFor(t, startTls).verify('ada', ada.password)).dn, ada.dn)
  })

  it('fails with a certificate of an unknown authority, even if the environment switches verification off', async (t) => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
    for (const changes of [{ servers: [slapd.secureUrl] }, { start_tls: true }]) {
      await fails(
        'directory_unreachable',
        directoryFor(t, changes).verify('ada', ada.password),
        /SIGNED.*ca_certificate/,
      )
    }
  })
})

describe('servers that do not work', { skip }, () => {
  const dead = 'ldap://127.0.0.1:1'

  it('are passed by, and left alone after three failures, until half a minute has passed', async (t) => {
    let now = 0
    const directory = directoryFor(t, { servers: [dead, slapd.url] }, { clock: () => now })
    assert.equal((await directory.verify('ada', ada.password)).server, slapd.url)
    const onlyDead = directoryFor(t, { servers: [dead] }, { clock: () => now })
    for (let tries = 0; tries < 3; tries++) await fails('directory_unreachable', onlyDead.check(), /ECONNREFUSED/)
    await fails('directory_unreachable', onlyDead.check(), /left alone|lately/)
    now = 30_000
    await fails('directory_unreachable', onlyDead.check(), /ECONNREFUSED/)
    await fails('directory_unreachable', onlyDead.check(), /lately/)
  })

  it('are not called if their address is not public and not allowed', async (t) => {
    const stop = new AbortController()
    t.after(() => stop.abort())
    const directory = createDirectory({
      settings: settingsFor(),
      password: service.password,
      mayCall: callGuard(),
      resolve: resolver({ stopped: stop.signal }),
      clock: Date.now,
      stopped: stop.signal,
    })
    await fails('directory_unreachable', directory.verify('ada', ada.password), /ROLLBOOK_IDP_ALLOWED_NETWORKS/)
  })

  it('end in time when the server is frozen, and work again afterwards', async (t) => {
    const directory = directoryFor(t, {}, { limits: { stepMs: 300, signInMs: 1000 } })
    await slapd.freeze()
    const started = performance.now()
    await fails('directory_unreachable', directory.verify('ada', ada.password), /in time/)
    assertWithin(2000, started)
    slapd.thaw()
    assert.equal((await directoryFor(t).verify('ada', ada.password)).dn, ada.dn)
  })
})
