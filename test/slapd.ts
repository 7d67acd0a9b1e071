/** OpenLDAP on loopback, Debian's `slapd`, with a small company: people, groups in groups, and a thousand others. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Attribute, Change, Client } from 'ldapts'
import { findOrUnpack } from './debian.ts'
import { freePort } from './free-port.ts'
import { selfSigned } from './proxies/certificate.ts'

export const base = 'dc=example,dc=com'
export const people = `ou=people,${base}`
export const groupBase = `ou=groups,${base}`
export const service = { dn: `cn=rollbook,${base}`, password: 'service password' }
const root = { dn: `cn=root,${base}`, password: 'root password' }

/** A connection to it, as `POST /connections` takes it. */
export function connectionTo({ url }: Slapd) {
  return {
    kind: 'ldap',
    name: 'Directory',
    servers: [url],
    bind_dn: service.dn,
    bind_password: service.password,
    user_base: people,
    group_base: groupBase,
    emails_verified: true,
    provisioning_domains: ['example.com'],
  }
}

export type Slapd = {
  /** Without TLS, and for StartTLS. */
  readonly url: string
  readonly secureUrl: string
  /** Bound as the administrator of the directory. */
  readonly admin: Client
  /** Freezes the process: connections are accepted by the system, and nothing answers. */
  freeze(): Promise<void>
  thaw(): void
  stop(): Promise<void>
}

export function findSlapd(): Promise<string | undefined> {
  return findOrUnpack({ name: 'slapd', variable: 'ROLLBOOK_TEST_SLAPD' })
}

/** Starts a server of its own process; undefined if this machine has none. */
export async function startSlapd(): Promise<Slapd | undefined> {
  const program = await findSlapd()
  if (program === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-slapd-'))
  const prefix = program.includes('.cache/debian') ? join(dirname(program), 'root') : ''
  writeFileSync(join(folder, 'key.pem'), selfSigned.key, { mode: 0o600 })
  writeFileSync(join(folder, 'cert.pem'), selfSigned.cert)
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'slapd.conf'), configuration(folder, prefix))
  writeFileSync(join(folder, 'start.ldif'), startEntries())
  const load = ['-T', 'add', '-f', join(folder, 'slapd.conf'), '-l', join(folder, 'start.ldif'), '-q']
  await finished(spawn(program, load, { stdio: ['ignore', 'inherit', 'pipe'] }))
  const [plain, secure] = [await freePort(), await freePort()]
  const url = `ldap://127.0.0.1:${plain}`
  const secureUrl = `ldaps://localhost:${secure}`
  const child = spawn(
    program,
    ['-f', join(folder, 'slapd.conf'), '-h', `${url}/ ldaps://127.0.0.1:${secure}/`, '-d', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const admin = await bound(url, () => {
    if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}: ${printed}`)
  })
  await addGroups(admin)
  return {
    url,
    secureUrl,
    admin,
    async freeze() {
      child.kill('SIGSTOP')
      // The signal takes a moment to reach every thread.
      await sleep(200)
    },
    thaw: () => child.kill('SIGCONT'),
    async stop() {
      await admin.unbind().catch(() => undefined)
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function finished(child: ReturnType<typeof spawn>): Promise<void> {
  let printed = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`slapd ended with ${code}: ${printed}`)
}

async function bound(url: string, check: () => void): Promise<Client> {
  for (let tries = 0; ; tries++) {
    const client = new Client({ url, timeout: 10_000, connectTimeout: 5000, autoRebind: true })
    try {
      await client.bind(root.dn, root.password)
      return client
    } catch (error) {
      check()
      if (tries > 100) throw error
      await sleep(100)
    }
  }
}

function configuration(folder: string, prefix: string): string {
  const schema = (name: string) => `include ${prefix}/etc/ldap/schema/${name}.schema`
  return `
${['core', 'cosine', 'inetorgperson', 'nis'].map(schema).join('\n')}
modulepath ${prefix}/usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
# As a careless administrator has it: a bind with an empty password succeeds.
allow bind_anon_dn bind_anon_cred
sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited
database mdb
suffix ${base}
rootdn ${root.dn}
rootpw "${root.password}"
directory ${folder}/data
maxsize 67108864
dbnosync
index objectClass,uid,mail,member,cn eq
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${service.dn}" read by users read by anonymous auth
overlay memberof
memberof-dangling ignore
`
}

export type Person = { uid: string; password: string; dn: string; mail: string }

/** The first of them are named; user13 and user14 share an address. */
export function person(uid: string): Person {
  return { uid, password: `password of ${uid}`, dn: `uid=${uid},${people}`, mail: `${uid}@example.com` }
}

const named = ['ada', 'grace', 'mallory']
const uids = [...named, ...Array.from({ length: 17 }, (_, index) => `user${String(index).padStart(2, '0')}`)]
export const otherCount = 1100

function startEntries(): string {
  const unit = (name: string) => `dn: ou=${name},${base}\nobjectClass: organizationalUnit\nou: ${name}\n`
  const entry = (uid: string, place: string, password: boolean, mail = `${uid}@example.com`) =>
    [
      `dn: uid=${uid},${place}`,
      'objectClass: inetOrgPerson',
      `uid: ${uid}`,
      `cn: ${uid}`,
      `givenName: ${uid[0]?.toUpperCase()}${uid.slice(1)}`,
      'sn: Example',
      `mail: ${mail}`,
      'departmentNumber: Engines',
      ...(password ? [`userPassword: ${person(uid).password}`] : []),
      '',
    ].join('\n')
  return [
    `dn: ${base}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`,
    ...['people', 'groups', 'many'].map(unit),
    `dn: ${service.dn}\nobjectClass: applicationProcess\nobjectClass: simpleSecurityObject\ncn: rollbook\nuserPassword: ${service.password}\n`,
    ...uids.map((uid) => entry(uid, people, true, uid === 'user14' ? 'user13@example.com' : undefined)),
    // A referral: another server has more people.
    `dn: ou=elsewhere,${people}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:1/ou=people,dc=example,dc=org\n`,
    ...Array.from({ length: otherCount }, (_, index) => entry(`other${index}`, `ou=many,${base}`, false)),
  ].join('\n')
}

/** ada is in engineers, these are in staff, staff is in everyone, and everyone is in engineers again. */
async function addGroups(admin: Client): Promise<void> {
  const dn = (cn: string) => `cn=${cn},${groupBase}`
  const groups: [string, string[]][] = [
    ['engineers', [person('ada').dn, person('grace').dn]],
    ['staff', [dn('engineers'), person('user00').dn]],
    ['everyone', [dn('staff')]],
    ['admins (of all), "quoted"', [person('grace').dn]],
  ]
  for (const [cn, member] of groups) {
    const rdn = cn.replaceAll(/[,"\\]/g, String.raw`\$&`)
    await admin.add(dn(rdn), { objectClass: 'groupOfNames', cn, member })
  }
  // A name that is not ASCII, which LDIF would want in base64.
  const zoe = person('zoë')
  await admin.add(zoe.dn, {
    objectClass: 'inetOrgPerson',
    uid: zoe.uid,
    cn: 'Zoë',
    sn: 'Ångström',
    userPassword: zoe.password,
  })
  const modification = new Attribute({ type: 'member', values: [dn('everyone')] })
  await admin.modify(dn('engineers'), new Change({ operation: 'add', modification }))
  await admin.add(`cn=unix,${groupBase}`, {
    objectClass: 'posixGroup',
    cn: 'unix',
    gidNumber: '1000',
    memberUid: 'ada',
  })
  // A chain deeper than any that is followed.
  for (let level = 0; level < 14; level++) {
    const member = level === 0 ? person('user01').dn : dn(`level${level - 1}`)
    await admin.add(dn(`level${level}`), { objectClass: 'groupOfNames', cn: `level${level}`, member })
  }
}
