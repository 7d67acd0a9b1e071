/** Against servers that lie, hang, or have strangers on the path to them. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Asked, entry, type Lie, result, startLyingDirectory } from '../../../../test/lying-directory.ts'
import { selfSigned } from '../../../../test/proxies/certificate.ts'
import { assertWithin } from '../../../../test/time-limit.ts'
import { callGuard } from '../../../http/outgoing/guard.ts'
import { resolver } from '../../../http/outgoing/lookup.ts'
import { activeDirectoryDefaults, type LdapSettings, ldapDefaults } from '../connections/kinds/ldap-settings.ts'
import { createDirectory } from './directory.ts'
import { isOfTheUser, LdapFailure } from './failure.ts'

const base = 'dc=example,dc=com'
const adaDn = `CN=Ada,${base}`
const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

/** Says yes to every bind, and finds ada whatever is searched. */
const yes: Lie = (message) => withAda(message)

function withAda(message: Asked, attributes: Record<string, (string | Buffer)[]> = {}): Buffer | Buffer[] | undefined {
  if (message.kind === 'bind') return result(message.id, 'bind')
  if (message.kind === 'extended') return result(message.id, 'extended')
  if (message.kind !== 'search') return undefined
  return [
    entry(message.id, adaDn, { entryUUID: ['ada-uuid'], objectGUID: [guid], ...attributes }),
    result(message.id, 'search'),
  ]
}

async function against(t: TestContext, lie: Lie, changes: Partial<LdapSettings> = {}, limits = {}) {
  const server = await startLyingDirectory(t, lie)
  const stop = new AbortController()
  t.after(() => stop.abort())
  const directory = createDirectory({
    settings: { ...ldapDefaults, servers: [server.url], user_base: base, group_source: 'none', ...changes },
    password: 'service password',
    mayCall: callGuard(['127.0.0.1']),
    resolve: resolver({ stopped: stop.signal }),
    clock: Date.now,
    stopped: stop.signal,
    limits: { stepMs: 300, signInMs: 1500, atOnce: 4, ...limits },
  })
  return { server, directory }
}

async function failureOf(work: Promise<unknown>): Promise<LdapFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof LdapFailure, `it was ${error}`)
  return error
}

const binds = (messages: readonly Asked[]) => messages.filter((one) => one.kind === 'bind')

describe('a directory that says yes to everything', () => {
  it('gets no empty password, and no other that a server may take for one', async (t) => {
    const { server, directory } = await against(t, yes)
    for (const password of ['', '\0', '\0\0secret', 'x\u0000']) {
      assert.equal((await failureOf(directory.verify('ada', password))).reason, 'password_invalid')
    }
    assert.equal(server.connections(), 0)
    assert.equal((await directory.verify('ada', 'secret')).dn, adaDn)
  })

  it('is bound to on a fresh connection, by a name that is never a SASL mechanism', async (t) => {
    const { server, directory } = await against(t, yes, { user_bind_name: '{username}' })
    for (const username of ['EXTERNAL', 'PLAIN', 'SCRAM-SHA-1']) await directory.verify(username, 'secret')
    assert.deepEqual(
      binds(server.messages).map((one) => [one.name, one.mechanism, one.password]),
      ['EXTERNAL', 'PLAIN', 'SCRAM-SHA-1'].flatMap((name) => [
        [name, 0x80, 'secret'],
        [adaDn, 0x80, 'secret'],
      ]),
    )
    assert.equal(server.connections(), 6)
  })

  it('is asked as much about an unknown user as about a wrong password', async (t) => {
    const steps = async (lie: Lie) => {
      const { server, directory } = await against(t, lie, { bind_dn: `cn=service,${base}` })
      await failureOf(directory.verify('ada', 'secret'))
      return server.messages.filter(({ kind }) => kind !== 'other').map(({ kind }) => kind)
    }
    const isOfService = (message: Asked) => message.kind === 'bind' && message.name.startsWith('cn=service')
    const refusing: Lie = (message) =>
      message.kind === 'bind' && !isOfService(message) ? result(message.id, 'bind', 49) : withAda(message)
    const knowsNobody: Lie = (message, socket) =>
      message.kind === 'search' ? result(message.id, 'search') : refusing(message, socket)
    assert.deepEqual(await steps(refusing), ['bind', 'search', 'bind'])
    assert.deepEqual(await steps(knowsNobody), ['bind', 'search', 'bind'])
  })
})

describe('a directory that searches, and binds users badly', () => {
  /** Finds ada and no other name. */
  const searching: Lie = (message, socket) =>
    message.kind === 'search' && !message.bytes.includes('ada') ? result(message.id, 'search') : yes(message, socket)
  const codes = [1, 3, 8, 11, 13, 19, 48, 50, 51, 52, 53, 80]
  const failures: [string, Lie][] = [
    ...codes.map((code): [string, Lie] => [`result ${code}`, ({ id }) => result(id, 'bind', code)]),
    ['silence', () => undefined],
    ['a closed connection', (_, socket) => void socket.destroy()],
  ]
  const ways = [{ bind_dn: `cn=service,${base}` }, { bind_dn: null, user_bind_name: '{username}@example.com' }]
  const isOfAda = (message: Asked) =>
    message.kind === 'bind' && (message.name === adaDn || message.name.startsWith('ada@'))
  const isOfService = (message: Asked) => message.kind === 'bind' && message.name.startsWith('cn=service')

  it('never reveals which users exist, whether all binds fail or those of one user', async (t) => {
    for (const [name, failing] of failures) {
      const isSilent = name === 'silence'
      const cases = ways.flatMap((changes) => [false, true].map((isAlone) => ({ changes, isAlone })))
      const outcomes = cases.map(async ({ changes, isAlone }) => {
        const lie: Lie = (message, socket) => {
          if (message.kind !== 'bind' || isOfService(message)) return searching(message, socket)
          if (isOfAda(message) || !isAlone) return failing(message, socket)
          return result(message.id, 'bind', 49)
        }
        const outcomeOf = async (username: string) => {
          const { directory } = await against(t, lie, changes, isSilent ? {} : { stepMs: 5000, signInMs: 10_000 })
          const failure = await failureOf(directory.verify(username, 'secret'))
          const { reason } = failure
          return isOfTheUser(failure) ? 'of the user' : reason
        }
        const [known, unknown] = [await outcomeOf('ada'), await outcomeOf('grace')]
        assert.equal(known, unknown, `${name}, ${isAlone ? 'of ada' : 'of all'}, ${JSON.stringify(changes)}`)
      })
      await Promise.all(outcomes)
    }
  })

  it('is left alone after three failures, whichever names are tried', async (t) => {
    const lie: Lie = (message, socket) =>
      message.kind === 'bind' && !isOfService(message) ? void socket.destroy() : searching(message, socket)
    const { directory } = await against(t, lie, { bind_dn: `cn=service,${base}` })
    for (const name of ['grace', 'nobody', 'grace']) {
      assert.equal((await failureOf(directory.verify(name, 'secret'))).reason, 'directory_unreachable')
    }
    assert.match((await failureOf(directory.verify('ada', 'secret'))).message, /lately/)
  })
})

describe('accounts that the directory has ended', () => {
  const now = Date.now()
  const fileTime = (ms: number) => String(BigInt(ms + 11_644_473_600_000) * 10_000n)
  const generalized = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`
  const [past, future] = [now - 2 * 86_400_000, now + 2 * 86_400_000]
  const day = (ms: number) => String(Math.floor(ms / 86_400_000))
  const endedAccounts: Record<string, string[]> = {
    userAccountControl: ['514', '66050'],
    'msDS-UserAccountDisabled': ['TRUE'],
    nsAccountLock: ['TRUE', 'true'],
    loginDisabled: ['TRUE'],
    'ds-pwp-account-disabled': ['true'],
    pwdAccountLockedTime: ['000001010000Z'],
    accountExpires: [fileTime(past), '1'],
    krbPrincipalExpiration: [
      generalized(past),
      '20200101000000Z',
      '2020010100Z',
      '202001010000+0200',
      '20200101000000.5Z',
    ],
    shadowExpire: [day(past), day(now), '1', '0'],
    pwdEndTime: [generalized(past)],
    loginExpirationTime: [generalized(past)],
    'ds-pwp-account-expiration-time': ['20200101000000.000Z'],
  }
  const lasting: Record<string, string[]> = {
    userAccountControl: ['512', '66048'],
    nsAccountLock: ['FALSE'],
    pwdAccountLockedTime: [generalized(past)],
    accountExpires: [fileTime(future), '0', '9223372036854775807', 'never', ''],
    krbPrincipalExpiration: [generalized(future), '99991231235959Z', 'soon', ''],
    shadowExpire: [day(future), '-1', ''],
    pwdEndTime: [generalized(future)],
    // The password must be changed; the account goes on.
    pwdLastSet: ['0'],
    pwdReset: ['TRUE'],
    shadowLastChange: ['0'],
    krbPasswordExpiration: ['20200101000000Z'],
    passwordExpirationTime: ['20200101000000Z'],
    'msDS-UserPasswordExpiryTimeComputed': [fileTime(past)],
  }

  it('are listed as ended; all others are not', async (t) => {
    const cases = [endedAccounts, lasting].flatMap((group) =>
      Object.entries(group).flatMap(([name, values]) =>
        values.map((value) => ({ name, value, hasEnded: group === endedAccounts })),
      ),
    )
    const lie: Lie = (message) => {
      if (message.kind !== 'search') return withAda(message)
      const entries = cases.map(({ name, value }, index) =>
        entry(message.id, `CN=${index},${base}`, { entryUUID: [String(index)], [name]: [value] }),
      )
      return [...entries, result(message.id, 'search')]
    }
    const { directory } = await against(t, lie)
    const [page] = await Array.fromAsync(directory.users())
    for (const { subject, endState: ended } of page?.users ?? []) {
      const { name, value, hasEnded } = cases[Number(subject)] as (typeof cases)[number]
      assert.equal(ended !== undefined, hasEnded, `${name}: ${value}`)
    }
    assert.equal(page?.users.length, cases.length)
  })

  it('do not sign in', async (t) => {
    const { directory } = await against(t, (message) => withAda(message, { accountExpires: [fileTime(past)] }))
    assert.equal((await failureOf(directory.verify('ada', 'secret'))).reason, 'account_expired')
  })
})

describe('a listing that the server ends', () => {
  it('fails with a reason and what to do, at whichever page', async (t) => {
    for (const code of [1, 3, 4, 8, 11, 12, 32, 50, 53, 80]) {
      const lie: Lie = (request) => {
        if (request.kind !== 'search') return withAda(request)
        return [entry(request.id, adaDn, { entryUUID: ['ada-uuid'] }), result(request.id, 'search', code)]
      }
      const { directory } = await against(t, lie, { bind_dn: `cn=service,${base}` })
      const { reason, message } = await failureOf(Array.fromAsync(directory.users()))
      assert.equal(reason, 'search_refused', String(code))
      if (![1, 8, 32, 50].includes(code)) assert.match(message, new RegExp(`${code}|RFC 2696`))
    }
  })
})

describe('Active Directory', () => {
  const settings = {
    ...activeDirectoryDefaults,
    group_source: 'none' as const,
    user_bind_name: '{username}@corp.example.com',
  }

  it('explains its refusals by a number, which becomes words for the administrator', async (t) => {
    const reasons = {
      '525': 'unknown_user',
      '52e': 'wrong_password',
      '530': 'sign_in_not_permitted',
      '532': 'password_expired',
      '533': 'account_disabled',
      '701': 'account_expired',
      '773': 'password_must_change',
      '775': 'account_locked',
    }
    for (const [data, reason] of Object.entries(reasons)) {
      const text = `80090308: LdapErr: DSID-0C0903A9, comment: AcceptSecurityContext error, data ${data}, v1db1`
      const { directory } = await against(
        t,
        ({ id, kind }) => (kind === 'bind' ? result(id, 'bind', 49, text) : undefined),
        settings,
      )
      assert.equal((await failureOf(directory.verify('ada', 'secret'))).reason, reason)
    }
  })

  it('disables users by a bit, whatever a bind says', async (t) => {
    const disabled: Lie = (message) => withAda(message, { userAccountControl: ['514'] })
    const { directory } = await against(t, disabled, settings)
    assert.equal((await failureOf(directory.verify('ada', 'secret'))).reason, 'account_disabled')
    const enabled = await against(t, (message) => withAda(message, { userAccountControl: ['512'] }), settings)
    assert.equal((await enabled.directory.verify('ada', 'secret')).subject, '33221100-5544-7766-8899-aabbccddeeff')
  })

  it('names groups by binary ids, which are searched as texts', async (t) => {
    const sid = Buffer.from('0105000000000005150000005c2a28292a5c2a2801020304f4010000', 'hex')
    const lie: Lie = (message) => {
      if (message.kind !== 'search' || !message.bytes.includes('objectSid'))
        return withAda(message, { tokenGroups: [sid] })
      assert.match(message.bytes.toString('latin1'), /S-1-5-21-690498140-673864746-67305985-500/)
      return [entry(message.id, `CN=Admins,${base}`, { cn: ['Admins'] }), result(message.id, 'search')]
    }
    const { directory } = await against(t, lie, { ...settings, group_source: 'token_groups' })
    assert.deepEqual((await directory.verify('ada', 'secret')).claims.groups, ['Admins'])
  })

  it('returns long lists in pieces, which are put together', async (t) => {
    const names = Array.from({ length: 7 }, (_, index) => `CN=g${index},${base}`)
    const lie: Lie = (message) => {
      if (message.kind !== 'search') return withAda(message)
      if (names.includes(message.base)) {
        const cn = [message.base.slice(3, 5)]
        return [entry(message.id, message.base, { cn }), result(message.id, 'search')]
      }
      if (message.bytes.includes('range=3-*')) {
        return [entry(message.id, adaDn, { 'memberOf;range=3-5': names.slice(3, 6) }), result(message.id, 'search')]
      }
      if (message.bytes.includes('range=6-*')) {
        return [entry(message.id, adaDn, { 'memberOf;range=6-*': names.slice(6) }), result(message.id, 'search')]
      }
      if (message.bytes.includes('objectGUID')) return withAda(message, { 'memberOf;range=0-2': names.slice(0, 3) })
      return result(message.id, 'search')
    }
    const { directory } = await against(t, lie, { ...settings, group_source: 'member_of', group_filter: '(cn=*)' })
    assert.deepEqual((await directory.verify('ada', 'secret')).claims.groups, [
      'g0',
      'g1',
      'g2',
      'g3',
      'g4',
      'g5',
      'g6',
    ])
  })
})

describe('a server that hangs', () => {
  it('ends a sign-in in time, at whichever step it stops', async (t) => {
    const silent: Lie[] = [
      () => undefined,
      (request) => (request.kind === 'search' ? undefined : withAda(request)),
      (request) => (request.kind === 'bind' && !request.name.startsWith('cn=service') ? undefined : withAda(request)),
      // Entries without an end.
      (request) => (request.kind === 'search' ? entry(request.id, adaDn, {}) : withAda(request)),
      // A message of 2 GiB of which the beginning arrives.
      (request) => (request.kind === 'bind' ? Buffer.from('3084800000000201', 'hex') : withAda(request)),
    ]
    for (const lie of silent) {
      const { directory } = await against(t, lie, { bind_dn: `cn=service,${base}` })
      const started = performance.now()
      assert.equal((await failureOf(directory.verify('ada', 'secret'))).reason, 'directory_unreachable')
      assertWithin(2500, started)
    }
  })

  it('holds few sign-ins at once; the others are refused immediately', async (t) => {
    const { directory } = await against(t, () => undefined, { bind_dn: `cn=service,${base}` })
    const failures = await Promise.all(Array.from({ length: 6 }, () => failureOf(directory.verify('ada', 'secret'))))
    const reasons = failures.map(({ reason }) => reason).sort()
    assert.deepEqual(reasons.slice(0, 2), ['directory_busy', 'directory_busy'])
    // And three of the others have shown that it is dead.
    assert.match((await failureOf(directory.verify('ada', 'secret'))).message, /lately/)
  })

  it('is cut off when it sends more than a sign-in needs', async (t) => {
    const flood: Lie = (request, socket) => {
      if (request.kind !== 'search') return withAda(request)
      const one = entry(request.id, adaDn, { description: ['x'.repeat(1 << 20)] })
      for (let count = 0; count < 12; count++) socket.write(one)
      return undefined
    }
    const { directory } = await against(t, flood, { bind_dn: `cn=service,${base}` })
    const { reason, message } = await failureOf(directory.verify('ada', 'secret'))
    assert.equal(reason, 'directory_unreachable')
    assert.match(message, /ended the connection|in time/)
  })

  it('may send what is not LDAP', async (t) => {
    for (const nonsense of ['HTTP/1.1 400 Bad Request\r\n\r\n', '0\x03\x02\x01', '\x30\x80\x02\x01\x02\x61']) {
      const { directory } = await against(t, () => Buffer.from(nonsense, 'latin1'), { bind_dn: `cn=service,${base}` })
      assert.equal((await failureOf(directory.verify('ada', 'secret'))).reason, 'directory_unreachable')
    }
  })
})

describe('StartTLS', () => {
  const settings = { start_tls: true, ca_certificate: selfSigned.cert, bind_dn: `cn=service,${base}` }

  it('comes before any bind, and nothing is sent in the open if it is refused or taken out', async (t) => {
    const strips: Lie[] = [
      (request) => (request.kind === 'extended' ? result(request.id, 'extended', 2) : withAda(request)),
      (request) => (request.kind === 'extended' ? result(request.id, 'extended', 52) : withAda(request)),
      (request) => (request.kind === 'extended' ? result(request.id, 'bind') : withAda(request)),
      (request) => (request.kind === 'extended' ? undefined : withAda(request)),
      (request, socket) => (request.kind === 'extended' ? void socket.end() : withAda(request)),
    ]
    for (const lie of strips) {
      const { server, directory } = await against(t, lie, settings)
      assert.equal((await failureOf(directory.verify('ada', 'secret'))).reason, 'directory_unreachable')
      assert.deepEqual([...new Set(server.messages.map(({ kind }) => kind))], ['extended'])
    }
  })

  it('fails if a stranger adds the beginning of another message to its answer', async (t) => {
    // What follows would be swallowed as the text of a success.
    const beginning = Buffer.from('30840000006002010361840000005 70a010004000450'.replaceAll(' ', ''), 'hex')
    const injected: Lie = (request) =>
      request.kind === 'extended' ? Buffer.concat([result(request.id, 'extended'), beginning]) : withAda(request)
    const { server, directory } = await against(t, injected, settings)
    const { message } = await failureOf(directory.verify('ada', 'secret'))
    assert.match(message, /sent more than its response/)
    assert.equal(binds(server.messages).length, 0)
  })

  it('protects the bind when all is well', async (t) => {
    const { directory } = await against(t, yes, settings)
    assert.equal((await directory.verify('ada', 'secret')).dn, adaDn)
  })
})
