import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatted, pages } from '../../scripts/generate.ts'
import { type Config, ConfigError, loadConfig, oddities, settings } from './config.ts'

const key = 'k'.repeat(32)

function faultsOf(env: Record<string, string>, files: Record<string, string> = {}): readonly string[] {
  try {
    loadConfig(env, reader(files))
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

function reader(files: Record<string, string>) {
  return (path: string): string => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return text
  }
}

/** The configuration file and nothing else. */
function loadFile(text: string): Config {
  return loadConfig({ ROLLBOOK_CONFIG_FILE: 'rollbook.env' }, reader({ 'rollbook.env': text }))
}

describe('the configuration', () => {
  it('needs no settings', () => {
    const { roles, ...config } = loadConfig({ PATH: '/bin', HOME: '/home/ada' })
    assert.deepEqual(config, {
      host: '127.0.0.1',
      port: 8080,
      basePath: '/auth',
      publicUrl: undefined,
      trustedProxies: undefined,
      upstream: undefined,
      upstreamTimeoutSeconds: 60,
      passPreflights: false,
      corsOrigins: undefined,
      dnsServers: undefined,
      adminKey: undefined,
      apiKeyInQuery: false,
      sessionSeconds: 2_592_000,
      sessionIdleSeconds: 604_800,
      returnOrigins: undefined,
      passkeyRpId: undefined,
      passkeyOrigins: undefined,
      rateLimit: 6000,
      rateLimitApiKeys: 0,
      tokenAudience: undefined,
      tokenSeconds: 300,
      tokenAlgorithm: 'EdDSA',
      signingKeyDays: 90,
      keyEncryptionSecret: undefined,
      keyEncryptionSecretPrevious: undefined,
      trustedIssuers: [],
      secondFactor: undefined,
      secondFactorFrom: undefined,
      trustBrowserDays: 0,
      accessRequests: 'off',
      emailCode: 'off',
      cliLogin: 'on',
      dataDir: './data',
      databaseUrl: undefined,
      databaseSchema: 'rollbook',
      databasePoolSize: 10,
      productName: 'Rollbook',
      environmentName: undefined,
      requireIfMatch: false,
      keyRotationOverlapSeconds: 86400,
      idempotencyHours: 24,
      auditDays: 400,
      eventsDays: 90,
      deletionGraceDays: 7,
      accountDeletion: 'off',
      webhookAllowedNetworks: undefined,
      webhookAllowHttp: false,
      idpAllowedNetworks: undefined,
      webhookTimeoutSeconds: 15,
      smtpUrl: undefined,
      mailFrom: undefined,
      mailLocale: 'en',
      mailTimeZone: 'UTC',
      mailTemplates: undefined,
      mailDkimKey: undefined,
      mailDkimSelector: undefined,
      bodyLimitBytes: 65536,
      requestTimeoutSeconds: 30,
      headersTimeoutSeconds: 10,
      keepAliveSeconds: 72,
      maxConnections: 10000,
      writeQueue: 2048,
      maxSnapshots: 16,
      snapshotSeconds: 600,
      snapshotStallSeconds: 30,
      hashConcurrency: 0,
      hashQueue: 256,
      logLevel: 'info',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      leaveSeconds: 0,
      shutdownSeconds: 10,
      applyFile: undefined,
      applyAllowDelete: 0,
      configFile: undefined,
      confirmDate: undefined,
    })
    assert.deepEqual({ ...roles }, { admin: ['*'], user: [] })
  })

  it('is frozen to the last array', () => {
    const config = loadConfig({ ROLLBOOK_ROLES: '{"support": ["users:read"]}' })
    for (const value of [config, config.roles, config.roles.admin, config.roles.support]) {
      assert.ok(Object.isFrozen(value))
    }
  })

  it('names each setting after its member', () => {
    for (const [member, { name }] of Object.entries(settings)) {
      assert.equal(name, `ROLLBOOK_${member.replace(/[A-Z]/g, '_$&').toUpperCase()}`)
    }
  })

  it('is described by docs/configuration.md', async () => {
    const page = pages.find(({ path }) => path === 'docs/configuration.md')
    const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
    assert.equal(text, formatted('docs/configuration.md', (await page?.render()) ?? ''))
  })

  it('shows in its documentation a file that works', async () => {
    const page = await pages.find(({ path }) => path === 'docs/configuration.md')?.render()
    const example = page?.match(/# rollbook\.env.*?```/s)?.[0].replace('```', '') ?? ''
    const files = { 'rollbook.env': example, '/run/secrets/rollbook-admin-key': key }
    const config = loadConfig({ ROLLBOOK_CONFIG_FILE: 'rollbook.env' }, reader(files))
    assert.equal(config.publicUrl, 'https://orchard.example.com/auth')
    assert.equal(config.adminKey, key)
    assert.deepEqual(config.roles.operator, ['users:read', 'users:write', 'orders:write'])
  })
})

describe('a setting', () => {
  const accepted: [name: string, text: string, member: keyof Config, value: unknown][] = [
    ['ROLLBOOK_HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['ROLLBOOK_HOST', '::1', 'host', '::1'],
    ['ROLLBOOK_HOST', 'auth-1.example.com', 'host', 'auth-1.example.com'],
    ['ROLLBOOK_PORT', '0', 'port', 0],
    ['ROLLBOOK_PORT', '65535', 'port', 65535],
    ['ROLLBOOK_BASE_PATH', '/', 'basePath', ''],
    ['ROLLBOOK_BASE_PATH', '/auth/', 'basePath', '/auth'],
    ['ROLLBOOK_BASE_PATH', '/api/v1.0/~auth_-', 'basePath', '/api/v1.0/~auth_-'],
    ['ROLLBOOK_BASE_PATH', '/...', 'basePath', '/...'],
    ['ROLLBOOK_PUBLIC_URL', 'https://example.com', 'publicUrl', 'https://example.com'],
    ['ROLLBOOK_PUBLIC_URL', 'HTTPS://Example.com:443/auth/', 'publicUrl', 'https://example.com/auth'],
    ['ROLLBOOK_PUBLIC_URL', 'http://[::1]:8080/a@b', 'publicUrl', 'http://[::1]:8080/a@b'],
    ['ROLLBOOK_ADMIN_KEY', key, 'adminKey', key],
    ['ROLLBOOK_METRICS_PORT', '0', 'metricsPort', 0],
    ['ROLLBOOK_METRICS_HOST', '::', 'metricsHost', '::'],
    ['ROLLBOOK_EVENTS_DAYS', '0', 'eventsDays', 0],
    ['ROLLBOOK_EVENTS_DAYS', '30', 'eventsDays', 30],
    ['ROLLBOOK_ADMIN_KEY', `!~${key}`, 'adminKey', `!~${key}`],
    ['ROLLBOOK_API_KEY_IN_QUERY', 'true', 'apiKeyInQuery', true],
    ['ROLLBOOK_TRUSTED_PROXIES', '10.0.0.0/8, ::1,192.0.2.7', 'trustedProxies', ['10.0.0.0/8', '::1', '192.0.2.7']],
    ['ROLLBOOK_UPSTREAM', 'http://127.0.0.1:8000/', 'upstream', 'http://127.0.0.1:8000'],
    ['ROLLBOOK_RETURN_ORIGINS', 'https://App.example.com:443', 'returnOrigins', ['https://app.example.com']],
    [
      'ROLLBOOK_CORS_ORIGINS',
      'http://[::1]:3000,https://a.example',
      'corsOrigins',
      ['http://[::1]:3000', 'https://a.example'],
    ],
    [
      'ROLLBOOK_DNS_SERVERS',
      '127.0.0.1, 10.0.0.53:5353,::1,[2001:db8::53]:5353',
      'dnsServers',
      ['127.0.0.1:53', '10.0.0.53:5353', '[::1]:53', '[2001:db8::53]:5353'],
    ],
    ['ROLLBOOK_TOKEN_AUDIENCE', 'https://api.example.com', 'tokenAudience', 'https://api.example.com'],
    ['ROLLBOOK_SIGNING_KEY_DAYS', '0', 'signingKeyDays', 0],
    ['ROLLBOOK_KEY_ENCRYPTION_SECRET', key, 'keyEncryptionSecret', key],
    ['ROLLBOOK_DATABASE_SCHEMA', 'auth_2', 'databaseSchema', 'auth_2'],
    ['ROLLBOOK_DATABASE_SCHEMA', 'a'.repeat(48), 'databaseSchema', 'a'.repeat(48)],
    ['ROLLBOOK_DATABASE_POOL_SIZE', '1', 'databasePoolSize', 1],
    ['ROLLBOOK_PRODUCT_NAME', 'Köhler & Söhne', 'productName', 'Köhler & Söhne'],
    ['ROLLBOOK_ENVIRONMENT_NAME', 'Staging (EU)', 'environmentName', 'Staging (EU)'],
    ['ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS', '2592000', 'keyRotationOverlapSeconds', 2_592_000],
    ['ROLLBOOK_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ]
  for (const [name, text, member, value] of accepted) {
    it(`${name} accepts ${text}`, () => assert.deepEqual(loadConfig({ [name]: text })[member], value))
  }

  const refused: Record<string, string[]> = {
    ROLLBOOK_HOST: ['127.0.0.1:8080', '[::1]', 'a b', 'http://localhost', '-a', '999.1.1.1', 'a/b'],
    ROLLBOOK_EVENTS_DAYS: ['29', '1', '-1', '030', '36501', '90d'],
    ROLLBOOK_PORT: ['65536', '-1', '80.5', '1e3', '0x50', '080', ' 80', 'http', '٨٠', '9'.repeat(400)],
    ROLLBOOK_BASE_PATH: ['auth', '//', '/auth//', '//auth', '/a/../b', '/./a', '/a b', '/a?b', '/a%2fb', '/ä', '/a\n'],
    ROLLBOOK_PUBLIC_URL: [
      'example.com',
      '/auth',
      'ftp://example.com',
      'https:example.com',
      'https://',
      'https:///auth',
      'https://ada:secret@example.com',
      'https://example.com/?',
      'https://example.com/#a',
      'https://example.com\\auth',
      'https://example.com:99999',
      'https://exam\nple.com',
    ],
    ROLLBOOK_ADMIN_KEY: ['k'.repeat(31), `${key} `, `${key}\n`, `${key}é`, 'k'.repeat(513)],
    ROLLBOOK_API_KEY_IN_QUERY: ['True', '1', 'yes', 'on'],
    ROLLBOOK_TRUSTED_PROXIES: [
      '10.0.0.0/33',
      '::1/129',
      'localhost',
      '10.0.0.1,',
      '10.0.0.1 10.0.0.2',
      '*',
      '10.0.0.0/',
    ],
    ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS: [
      '10.0.0.0/33',
      '::ffff:10.0.0.0/104',
      '64:ff9b::/96',
      '64:ff9b::a00:1',
      'intranet',
    ],
    ROLLBOOK_UPSTREAM: ['127.0.0.1:8000', 'http://127.0.0.1:8000/app', 'ftp://a', 'http://ada:x@a', 'http://a?b'],
    ROLLBOOK_RETURN_ORIGINS: [
      '*',
      'null',
      'https://a.example/path',
      'https://*.a.example',
      "https://a.example;'self'",
      'a.example',
    ],
    ROLLBOOK_CORS_ORIGINS: ['*', 'null', 'https://a.example/path', 'https://a.example https://b.example'],
    ROLLBOOK_DNS_SERVERS: [
      'dns.example.com',
      '192.0.2.53:0',
      '192.0.2.53:65536',
      '192.0.2',
      '[192.0.2.53]:53',
      '::1:x',
      'fe80::1%eth0',
    ],
    ROLLBOOK_TOKEN_AUDIENCE: ['two words', 'a'.repeat(256), 'a\nb'],
    ROLLBOOK_KEY_ENCRYPTION_SECRET: ['k'.repeat(31), `${key} `, 'k'.repeat(513)],
    ROLLBOOK_DATABASE_URL: ['db', 'ada@db', 'mysql://ada@db', 'postgres:/ada@db', 'postgres://ada:p@ss@db'],
    ROLLBOOK_DATABASE_SCHEMA: ['Rollbook', '1a', '_a', 'pg_a', 'a-b', 'a b', '"a"', 'a;b', 'a.b', 'ä', 'a'.repeat(49)],
    ROLLBOOK_DATABASE_POOL_SIZE: ['0', '1001'],
    ROLLBOOK_PRODUCT_NAME: ['a'.repeat(65), 'a\nb', 'a\u0000', '\ud800'],
    ROLLBOOK_ENVIRONMENT_NAME: ['a'.repeat(33), 'a\nb'],
    ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS: ['2592001'],
    ROLLBOOK_KEEP_ALIVE_SECONDS: ['0'],
    ROLLBOOK_LOG_LEVEL: ['INFO', 'verbose', 'toString'],
    ROLLBOOK_ROLES: ['[]', 'null', '"admin"', '{', "{'a':[]}"],
  }
  for (const [name, texts] of Object.entries(refused)) {
    it(`${name} refuses values it cannot use, in one fault that says what it accepts`, () => {
      const setting = Object.values(settings).find((setting) => setting.name === name)
      for (const text of texts) {
        assert.deepEqual(faultsOf({ [name]: text }), [`${name} must be ${setting?.kind.expected}.`], text)
      }
    })
  }

  it('that trusts an issuer must not name the service itself', () => {
    const url = 'https://orchard.example.com/auth'
    const one = { issuer: url, audience: 'a', jwks_url: `${url}/keys`, algorithms: ['EdDSA'], roles: { staff: 'user' } }
    assert.deepEqual(faultsOf({ ROLLBOOK_PUBLIC_URL: url, ROLLBOOK_TRUSTED_ISSUERS: JSON.stringify([one]) }), [
      'ROLLBOOK_TRUSTED_ISSUERS names this service itself (ROLLBOOK_PUBLIC_URL).',
    ])
  })

  const page = 'https://login.orchard.example/auth'
  const database = 'postgres://ada:x@db/a?sslmode=verify-full'
  const together: [names: string, env: Record<string, string>][] = [
    [
      'ROLLBOOK_UPSTREAM and ROLLBOOK_BASE_PATH',
      { ROLLBOOK_UPSTREAM: 'http://127.0.0.1:3000', ROLLBOOK_BASE_PATH: '/' },
    ],
    ...['example', 'orchard.test', 'rchard.example', 'a.login.orchard.example', 'xlogin.orchard.example'].map(
      (domain): [string, Record<string, string>] => [
        'ROLLBOOK_PASSKEY_RP_ID and ROLLBOOK_PUBLIC_URL',
        { ROLLBOOK_PUBLIC_URL: page, ROLLBOOK_PASSKEY_RP_ID: domain },
      ],
    ),
    [
      'ROLLBOOK_PASSKEY_RP_ID and ROLLBOOK_PUBLIC_URL',
      { ROLLBOOK_PUBLIC_URL: 'https://192.0.2.1/auth', ROLLBOOK_PASSKEY_RP_ID: 'orchard.example' },
    ],
    [
      'ROLLBOOK_PASSKEY_RP_ID and ROLLBOOK_PUBLIC_URL',
      { ROLLBOOK_PUBLIC_URL: 'https://[2001:db8::1]/auth', ROLLBOOK_PASSKEY_RP_ID: 'orchard.example' },
    ],
    ['ROLLBOOK_DATABASE_URL', { ROLLBOOK_DATABASE_URL: `${database}&sslrootcert=/missing.pem` }],
    ['ROLLBOOK_DATABASE_URL', { ROLLBOOK_DATABASE_URL: `${database}&sslcert=/missing.pem` }],
    ['ROLLBOOK_DATABASE_URL', { ROLLBOOK_DATABASE_URL: `${database}&sslkey=text.pem` }],
    ['ROLLBOOK_EMAIL_CODE and ROLLBOOK_SMTP_URL', { ROLLBOOK_EMAIL_CODE: 'on' }],
    ['ROLLBOOK_ADMIN_KEY', { ROLLBOOK_ADMIN_KEY: `rb_${'x'.repeat(49)}` }],
    [
      'ROLLBOOK_MAIL_DKIM_KEY',
      { ROLLBOOK_MAIL_DKIM_KEY: '-----BEGIN PRIVATE KEY-----\nbm8=\n-----END PRIVATE KEY-----' },
    ],
  ]
  for (const [names, env] of together) {
    it(`is refused with its name, as ${names} in ${Object.values(env).join(' ').slice(0, 90)}`, () => {
      const faults = faultsOf(env, { 'text.pem': 'a text' })
      assert.equal(faults.length, 1, faults.join('\n'))
      for (const name of names.split(' and ')) assert.ok(faults.join().includes(name), faults.join())
    })
  }

  it('ROLLBOOK_PASSKEY_RP_ID accepts the host of the pages, a domain above it, and another one on request', () => {
    const accepted: Record<string, string>[] = [
      { ROLLBOOK_PASSKEY_RP_ID: 'login.orchard.example' },
      { ROLLBOOK_PASSKEY_RP_ID: 'orchard.example,other.test' },
      { ROLLBOOK_PASSKEY_RP_ID: 'other.test', ROLLBOOK_PASSKEY_ORIGINS: 'https://login.orchard.example' },
    ]
    for (const env of accepted) assert.deepEqual(faultsOf({ ROLLBOOK_PUBLIC_URL: page, ...env }), [])
    assert.deepEqual(
      faultsOf({ ROLLBOOK_PUBLIC_URL: 'http://localhost:8080', ROLLBOOK_PASSKEY_RP_ID: 'localhost' }),
      [],
    )
  })

  it('that is valid and seldom meant is named: it is logged at the start', () => {
    const oddOf = (env: Record<string, string | undefined>) => oddities(loadConfig(env)).join('\n')
    for (const env of [
      {},
      { ROLLBOOK_PUBLIC_URL: 'https://orchard.example/auth/' },
      { ROLLBOOK_PUBLIC_URL: 'https://orchard.example/', ROLLBOOK_BASE_PATH: '/' },
      { ROLLBOOK_SESSION_SECONDS: '3600' },
      { ROLLBOOK_SESSION_SECONDS: '3600', ROLLBOOK_SESSION_IDLE_SECONDS: '3600' },
    ]) {
      assert.equal(oddOf(env), '')
    }
    assert.match(
      oddOf({ ROLLBOOK_PUBLIC_URL: 'https://orchard.example' }),
      /ROLLBOOK_PUBLIC_URL does not end in \/auth/,
    )
    assert.match(oddOf({ ROLLBOOK_DATABASE_URL: 'postgres://rollbook@db.example/orchard' }), /ROLLBOOK_PUBLIC_URL/)
    assert.match(
      oddOf({ ROLLBOOK_SESSION_SECONDS: '3600', ROLLBOOK_SESSION_IDLE_SECONDS: '7200' }),
      /ROLLBOOK_SESSION_IDLE_SECONDS has no effect: .*ROLLBOOK_SESSION_SECONDS/,
    )
    assert.match(
      oddOf({ ROLLBOOK_PUBLIC_URL: page, ROLLBOOK_DATABASE_URL: 'postgres://ada@db/a?sslrootcert=ca.pem' }),
      /ROLLBOOK_DATABASE_URL names certificates but no sslmode/,
    )
  })

  it('that is empty counts as not set', () => {
    const empty = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']))
    assert.deepEqual(loadConfig(empty), loadConfig({}))
  })

  it('never shows its value in a fault', () => {
    const names = Object.values(settings).map(({ name }) => name)
    const value = fc.stringMatching(/^canary[^\0]{0,60}$/)
    fc.assert(
      fc.property(
        fc.subarray([...names, 'ROLLBOOK_UNKNOWN', 'ROLLBOOK_ADMIN_KEY_FILE'], { minLength: 1 }),
        value,
        (setting, text) => {
          const faults = faultsOf(Object.fromEntries(setting.map((name) => [name, text])))
          assert.doesNotMatch(faults.join('\n'), /canary/)
        },
      ),
    )
  })

  it('accepts whole numbers exactly from its minimum to its maximum', () => {
    for (const setting of Object.values(settings)) {
      const [, minimum = '', maximum = ''] = setting.kind.expected.match(/^a whole number from (\d+) to (\d+)$/) ?? []
      if (maximum === '') continue
      fc.assert(
        fc.property(fc.integer({ min: -5, max: Number(maximum) + 5 }), (number) => {
          const within = number >= Number(minimum) && number <= Number(maximum)
          assert.deepEqual('value' in setting.kind.read(String(number)), within)
        }),
        { examples: [[Number(minimum)], [Number(minimum) - 1], [Number(maximum)], [Number(maximum) + 1]] },
      )
    }
  })

  it('ROLLBOOK_BASE_PATH gives nothing but a path that can stand before a route', () => {
    const text = fc.array(fc.constantFrom('auth', 'v1.0', '~a', '-', '', '.', '..', '%2e', 'a b', '\\', '?'))
    fc.assert(
      fc.property(text, (segments) => {
        const reading = settings.basePath.kind.read(`/${segments.join('/')}`)
        if ('faults' in reading) return
        assert.match(reading.value, /^(\/[A-Za-z0-9._~-]+)*$/)
        assert.equal(new URL(`http://localhost${reading.value}/users`).pathname, `${reading.value}/users`)
      }),
    )
  })

  it('ROLLBOOK_PUBLIC_URL is the same when it is read again', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        const { publicUrl } = loadConfig({ ROLLBOOK_PUBLIC_URL: url })
        assert.equal(loadConfig({ ROLLBOOK_PUBLIC_URL: publicUrl }).publicUrl, publicUrl)
        assert.doesNotMatch(publicUrl ?? '', /\/$/)
      }),
    )
  })

  it('ROLLBOOK_DATABASE_URL reports all its faults at once, and can come from a file', () => {
    const text = 'postgres://:secret%@db:x?sslmode=no'
    const expected = [
      'ROLLBOOK_DATABASE_URL has an sslmode that is not one of disable, require, verify-ca, verify-full.',
      'ROLLBOOK_DATABASE_URL has an invalid host or port.',
      'ROLLBOOK_DATABASE_URL has a password that is not percent-encoded.',
      'ROLLBOOK_DATABASE_URL has no user.',
    ]
    assert.deepEqual(faultsOf({ ROLLBOOK_DATABASE_URL: text }), expected)
    const inFile = expected.map((fault) => fault.replace('_URL', '_URL_FILE'))
    assert.deepEqual(faultsOf({ ROLLBOOK_DATABASE_URL_FILE: 'url' }, { url: `${text}\n` }), inFile)
    const { databaseUrl } = loadConfig(
      { ROLLBOOK_DATABASE_URL_FILE: 'url' },
      reader({ url: 'postgres://ada:x@db/a\n' }),
    )
    assert.deepEqual([databaseUrl?.password, databaseUrl?.database], ['x', 'a'])
  })

  it('ROLLBOOK_HEADERS_TIMEOUT_SECONDS must not exceed that of the whole request', () => {
    assert.deepEqual(faultsOf({ ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '9' }), [
      'ROLLBOOK_HEADERS_TIMEOUT_SECONDS must not exceed ROLLBOOK_REQUEST_TIMEOUT_SECONDS.',
    ])
    assert.deepEqual(faultsOf({ ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '10' }), [])
  })
})

describe('the roles', () => {
  it('stand beside the built-in ones', () => {
    const { roles } = loadConfig({
      ROLLBOOK_ROLES: '{"support": ["users:read", "orders:write"], "none": [], "all": ["*"]}',
    })
    assert.deepEqual(
      { ...roles },
      {
        admin: ['*'],
        user: [],
        support: ['users:read', 'orders:write'],
        none: [],
        all: ['*'],
      },
    )
  })

  it('have no role under a name that every object inherits', () => {
    const { roles } = loadConfig({})
    for (const name of ['constructor', 'toString', '__proto__']) assert.equal(roles[name], undefined)
    assert.deepEqual(loadConfig({ ROLLBOOK_ROLES: '{"constructor": ["users:read"]}' }).roles.constructor, [
      'users:read',
    ])
  })

  const notRoleName = 'that is not 1 to 64 of a-z, 0-9, _ and -, beginning with a letter'
  const permission = 'neither * nor words such as users:read'
  const refused: [text: string, ...faults: string[]][] = [
    ['{"admin": []}', 'redefines the built-in role admin'],
    ['{"user": ["*"]}', 'redefines the built-in role user'],
    ['{"a": [], "Editor": []}', `has a role name at position 2 ${notRoleName}`],
    ['{"": []}', `has a role name at position 1 ${notRoleName}`],
    ['{"__proto__": ["*"]}', `has a role name at position 1 ${notRoleName}`],
    [`{"${'a'.repeat(65)}": []}`, `has a role name at position 1 ${notRoleName}`],
    ['{"a": "users:read"}', 'does not give the role a an array of permissions'],
    ['{"a": {"0": "*"}}', 'does not give the role a an array of permissions'],
    ['{"a": ["users:read", "users"]}', `gives the role a as permission 2 ${permission}`],
    ['{"a": ["users:*"]}', `gives the role a as permission 1 ${permission}`],
    ['{"a": ["Users:read"]}', `gives the role a as permission 1 ${permission}`],
    ['{"a": [["*"]]}', `gives the role a as permission 1 ${permission}`],
    [
      '{"a": [1], "user": [], "b": 2}',
      `gives the role a as permission 1 ${permission}`,
      'redefines the built-in role user',
      'does not give the role b an array of permissions',
    ],
  ]
  for (const [text, ...faults] of refused) {
    it(`refuse ${text}`, () => {
      assert.deepEqual(
        faultsOf({ ROLLBOOK_ROLES: text }),
        faults.map((fault) => `ROLLBOOK_ROLES ${fault}.`),
      )
    })
  }

  it('never change what admin and user may do, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const reading = settings.roles.kind.read(text)
        if ('faults' in reading) return
        assert.deepEqual(reading.value.admin, ['*'])
        assert.deepEqual(reading.value.user, [])
      }),
    )
  })
})

describe('the sources', () => {
  const files = {
    'admin-key': `${key}-from-secret-file\n`,
    'rollbook.env': `ROLLBOOK_ADMIN_KEY=${key}-from-config-file`,
  }

  it('are asked in order: environment, secret file, configuration file, default', () => {
    const env = { ROLLBOOK_ADMIN_KEY: key, ROLLBOOK_CONFIG_FILE: 'rollbook.env' }
    assert.equal(loadConfig(env, reader(files)).adminKey, key)

    const withSecretFile = { ROLLBOOK_ADMIN_KEY_FILE: 'admin-key', ROLLBOOK_CONFIG_FILE: 'rollbook.env' }
    assert.equal(loadConfig(withSecretFile, reader(files)).adminKey, `${key}-from-secret-file`)

    const withConfigFile = { ROLLBOOK_CONFIG_FILE: 'rollbook.env' }
    assert.equal(loadConfig(withConfigFile, reader(files)).adminKey, `${key}-from-config-file`)
  })

  it('are not asked further once a setting is found', () => {
    const config = loadConfig({ ROLLBOOK_PORT: '1', ROLLBOOK_CONFIG_FILE: 'a' }, reader({ a: 'ROLLBOOK_PORT=wrong' }))
    assert.equal(config.port, 1)
  })

  it('read a secret without the one line end that editors and echo add', () => {
    const cases: [text: string, secret: string | undefined][] = [
      [key, key],
      [`${key}\n`, key],
      [`${key}\r\n`, key],
      [`${key}\n\n`, undefined],
      [` ${key}`, undefined],
    ]
    for (const [text, secret] of cases) {
      const load = () => loadConfig({ ROLLBOOK_ADMIN_KEY_FILE: 'admin-key' }, reader({ 'admin-key': text })).adminKey
      if (secret === undefined) assert.throws(load, ConfigError)
      else assert.equal(load(), secret)
    }
  })

  it('must not set both a secret and its file', () => {
    const both = { ROLLBOOK_ADMIN_KEY: key, ROLLBOOK_ADMIN_KEY_FILE: 'admin-key' }
    assert.deepEqual(faultsOf(both, files), [
      'ROLLBOOK_ADMIN_KEY and ROLLBOOK_ADMIN_KEY_FILE are both set. Set only one of them.',
    ])
    assert.equal(loadConfig({ ...both, ROLLBOOK_ADMIN_KEY: '' }, reader(files)).adminKey, `${key}-from-secret-file`)
  })

  it('do not do without a file that was asked for', () => {
    assert.deepEqual(faultsOf({ ROLLBOOK_ADMIN_KEY_FILE: key, ROLLBOOK_CONFIG_FILE: 'nowhere' }), [
      'ROLLBOOK_CONFIG_FILE points to a file that cannot be read (ENOENT).',
      'ROLLBOOK_ADMIN_KEY_FILE points to a file that cannot be read (ENOENT).',
    ])
    assert.deepEqual(faultsOf({ ROLLBOOK_ADMIN_KEY_FILE: 'empty' }, { empty: '\n' }), [
      'ROLLBOOK_ADMIN_KEY_FILE points to an empty file.',
    ])
  })

  it('read real files by default', () => {
    assert.throws(() => loadConfig({ ROLLBOOK_CONFIG_FILE: '/nowhere/rollbook.env' }), /cannot be read \(ENOENT\)/)
  })
})

describe('the configuration file', () => {
  it('has NAME=value lines with comments, quotes and other programs in between', () => {
    const config = loadFile(`\uFEFFROLLBOOK_HOST=0.0.0.0\r
# a comment
export ROLLBOOK_PORT = 9000  # a comment
POSTGRES_PASSWORD=unrelated
ROLLBOOK_ROLES='{
  "support": ["users:read"]
}'
ROLLBOOK_DATA_DIR=
ROLLBOOK_PRODUCT_NAME="Orchard #1"
`)
    assert.equal(config.host, '0.0.0.0')
    assert.equal(config.port, 9000)
    assert.deepEqual(config.roles.support, ['users:read'])
    assert.equal(config.dataDir, './data')
    assert.equal(config.productName, 'Orchard #1')
  })

  it('is named in the faults that come from it', () => {
    const text = 'ROLLBOOK_PORT: 8080\nROLLBOOK_PROT=1\nROLLBOOK_HOST=a:b\nROLLBOOK_CONFIG_FILE=other'
    assert.deepEqual(faultsOf({ ROLLBOOK_CONFIG_FILE: 'a' }, { a: text }), [
      'Line 1 of the configuration file is not NAME=value.',
      'ROLLBOOK_CONFIG_FILE cannot be set in the configuration file.',
      'ROLLBOOK_PROT (in the configuration file) is not a setting. Did you mean ROLLBOOK_PORT?',
      `ROLLBOOK_HOST (in the configuration file) must be ${settings.host.kind.expected}.`,
    ])
  })

  it('contains only settings, while the environment can contain what the command line reads', () => {
    const names = ['ROLLBOOK_URL', 'ROLLBOOK_API_KEY', 'ROLLBOOK_API_KEY_FILE', 'ROLLBOOK_PROFILE']
    const text = names.map((name) => `${name}=canary`).join('\n')
    assert.deepEqual(faultsOf(Object.fromEntries(names.map((name) => [name, 'canary']))), [])
    assert.equal(faultsOf({ ROLLBOOK_CONFIG_FILE: 'a' }, { a: text }).length, names.length)
  })

  it('never shows a secret from an invalid line', () => {
    for (const line of ['ROLLBOOK_ADMIN_KEY: canary=x', 'ROLLBOOK_ADMIN_KEY canary', 'ROLLBOOK_ADMIN_KEY=canary']) {
      const faults = faultsOf({ ROLLBOOK_CONFIG_FILE: 'a' }, { a: line })
      assert.equal(faults.length, 1)
      assert.doesNotMatch(faults.join(), /canary/)
    }
  })
})

describe('an unknown name', () => {
  const lists = 'docs/configuration.md lists the settings.'
  const cases: [name: string, fault: string][] = [
    ['ROLLBOOK_PROT', 'ROLLBOOK_PROT is not a setting. Did you mean ROLLBOOK_PORT?'],
    ['rollbook_port', 'rollbook_port is not a setting. Did you mean ROLLBOOK_PORT?'],
    ['ROLLBOOK_LOGLEVEL', 'ROLLBOOK_LOGLEVEL is not a setting. Did you mean ROLLBOOK_LOG_LEVEL?'],
    ['ROLLBOOK_ADMIN_KEY_FIEL', 'ROLLBOOK_ADMIN_KEY_FIEL is not a setting. Did you mean ROLLBOOK_ADMIN_KEY_FILE?'],
    ['ROLLBOOK_POSTGRES', `ROLLBOOK_POSTGRES is not a setting. ${lists}`],
    ['ROLLBOOK_DATABASE_URI', 'ROLLBOOK_DATABASE_URI is not a setting. Did you mean ROLLBOOK_DATABASE_URL?'],
    ['ROLLBOOK_', `ROLLBOOK_ is not a setting. ${lists}`],
    ['ROLLBOOK_HOST: canary', 'ROLLBOOK_HOST… is not a setting. Did you mean ROLLBOOK_HOST?'],
  ]
  for (const [name, fault] of cases) {
    it(`${name} is refused`, () => assert.deepEqual(faultsOf({ [name]: 'canary' }), [fault]))
  }

  it('stands beside every other fault, in a message to be read', () => {
    const load = () => loadConfig({ ROLLBOOK_PROT: '1', ROLLBOOK_PORT: 'http', ROLLBOOK_LOG_LEVEL: 'loud' })
    assert.throws(load, {
      name: 'ConfigError',
      message: `The configuration has 3 faults:
  - ROLLBOOK_PROT is not a setting. Did you mean ROLLBOOK_PORT?
  - ROLLBOOK_PORT must be a whole number from 0 to 65535.
  - ROLLBOOK_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.`,
    })
  })

  it('always suggests the setting that is one typo away', () => {
    const names = Object.values(settings).map(({ name }) => name)
    const slip = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.constantFrom('', 'X', 'XX'))
    fc.assert(
      fc.property(slip, ([name, position, instead]) => {
        const at = 'ROLLBOOK_'.length + (position % (name.length - 'ROLLBOOK_'.length))
        const misspelt = name.slice(0, at) + instead + name.slice(at + 1)
        // Where the letter already is an X, putting one in its place is no slip.
        fc.pre(misspelt !== name)
        assert.match(faultsOf({ [misspelt]: '1' }).join(), /is not a setting\. Did you mean ROLLBOOK_\w+\?$/)
      }),
    )
  })

  it('is ignored if Kubernetes made it for a Service', () => {
    const config = loadConfig({
      ROLLBOOK_SERVICE_HOST: '10.0.0.7',
      ROLLBOOK_SERVICE_PORT: '80',
      ROLLBOOK_SERVICE_PORT_HTTP: '80',
      ROLLBOOK_PORT: 'tcp://10.0.0.7:80',
      ROLLBOOK_PORT_80_TCP: 'tcp://10.0.0.7:80',
      ROLLBOOK_PORT_80_TCP_ADDR: '10.0.0.7',
      ROLLBOOK_CONSOLE_PORT: 'tcp://10.0.0.8:80',
    })
    assert.equal(config.port, 8080)
  })
})
