/** The whole lab: its machines and nodes, and how to start, stop, break and inspect each. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { etcdConfiguration, haproxyConfiguration, patroniConfiguration } from './lab-files.ts'
import { findOrInstallPrograms, type Programs } from './packages.ts'
import {
  type Account,
  forget,
  killTrees,
  launch,
  markOf,
  postmasterOf,
  send,
  signalTrees,
  waitForEnd,
} from './processes.ts'

export const machines = ['pg1', 'pg2', 'pg3'] as const
export const nodes = ['a', 'b'] as const
export type Machine = (typeof machines)[number]
export type Node = (typeof nodes)[number]

/** A machine as Patroni reports it. */
export type Member = {
  name: Machine
  role: 'leader' | 'sync_standby' | 'replica' | (string & {})
  state: string
  timeline?: number
  lag?: number | string
}

type Secrets = Record<'superuser' | 'replication' | 'rewind' | 'operator' | 'rollbook' | 'adminKey', string>
type Settings = { basePort: number; programs: Programs; secrets: Secrets }

const here = import.meta.dirname
const checkout = resolve(here, '../..')

export class Lab {
  readonly folder: string
  readonly #settings: Settings
  readonly #account: Account | undefined

  private constructor(folder: string, settings: Settings) {
    this.folder = folder
    this.#settings = settings
    this.#account = unprivileged()
  }

  /** Returns a lab in a folder that does not exist yet, without starting anything. */
  static async create(folder: string, say: (line: string) => void): Promise<Lab> {
    if (existsSync(folder)) throw new Error(`There is a lab in ${folder} already; \`down\` ends it.`)
    const programs = findOrInstallPrograms(say)
    const basePort = await freePorts()
    mkdirSync(folder, { mode: 0o700 })
    const secret = () => randomBytes(18).toString('base64url')
    const secrets = {
      superuser: secret(),
      replication: secret(),
      rewind: secret(),
      operator: secret(),
      rollbook: secret(),
      adminKey: `lab-${randomBytes(24).toString('hex')}`,
    }
    const settings: Settings = { basePort, programs, secrets }
    writeFileSync(join(folder, 'lab.json'), JSON.stringify(settings, null, 2), { mode: 0o600 })
    const lab = new Lab(folder, settings)
    for (const name of ['log', 'run', ...machines]) mkdirSync(join(folder, name), { mode: 0o700 })
    for (const name of ['.', ...machines]) lab.#handOver(join(folder, name))
    for (const machine of machines) lab.#configure(machine)
    return lab
  }

  static open(folder: string): Lab {
    const file = join(folder, 'lab.json')
    if (!existsSync(file)) throw new Error(`There is no lab in ${folder}.`)
    return new Lab(folder, JSON.parse(readFileSync(file, 'utf8')) as Settings)
  }

  // --- addresses ---

  get adminKey(): string {
    return this.#settings.secrets.adminKey
  }

  /** PostgreSQL through HAProxy. */
  get postgresPort(): number {
    return this.#settings.basePort
  }

  /** Any Rollbook that is ready, through HAProxy. */
  get url(): string {
    return `http://127.0.0.1:${this.#settings.basePort + 1}/auth`
  }

  get statusPage(): string {
    return `http://127.0.0.1:${this.#settings.basePort + 2}/`
  }

  urlOf(node: Node): string {
    return `http://127.0.0.1:${this.#portOf(node)}/auth`
  }

  /** An API key with every permission. */
  superuserUrl(machine?: Machine, database = 'rollbook'): string {
    const port = machine === undefined ? this.postgresPort : this.#portsOf(machine).postgres
    return `postgres://postgres:${this.#settings.secrets.superuser}@127.0.0.1:${port}/${database}`
  }

  #portsOf(machine: Machine): Record<'postgres' | 'patroni' | 'etcd' | 'etcdPeer', number> {
    const port = (tens: number) => this.#settings.basePort + tens + machines.indexOf(machine) + 1
    return { postgres: port(10), patroni: port(20), etcd: port(30), etcdPeer: port(40) }
  }

  #portOf(node: Node): number {
    return this.#settings.basePort + 51 + nodes.indexOf(node)
  }

  // --- start and stop ---

  async up(say: (line: string) => void): Promise<void> {
    say('Starting etcd and Patroni on three machines …')
    for (const machine of machines) await this.startMachine(machine)
    await this.#startHaproxy()
    await waitFor('three PostgreSQL, one of them primary, one synchronous', 60, () => this.isWhole())
    say('Making the database and the role of Rollbook …')
    this.#bootstrap()
    say('Starting two Rollbook …')
    await Promise.all(nodes.map((node) => this.startNode(node)))
    await waitFor('both nodes to be ready', 30, () => this.areNodesReady())
  }

  async startMachine(machine: Machine): Promise<void> {
    const { programs, secrets } = this.#settings
    const account = this.#account
    const configuration = (file: string) => join(this.folder, machine, file)
    if (markOf(this.folder, `${machine}-etcd`) === undefined) {
      const command = [programs.etcd, '--config-file', configuration('etcd.yml')] as const
      await launch(this.folder, `${machine}-etcd`, command, { account })
    }
    if (markOf(this.folder, `${machine}-patroni`) === undefined) {
      const env = {
        PATRONI_SUPERUSER_PASSWORD: secrets.superuser,
        PATRONI_REPLICATION_PASSWORD: secrets.replication,
        PATRONI_REWIND_PASSWORD: secrets.rewind,
        PATRONI_RESTAPI_USERNAME: 'operator',
        PATRONI_RESTAPI_PASSWORD: secrets.operator,
      }
      const command = [programs.patroni, configuration('patroni.yml')] as const
      await launch(this.folder, `${machine}-patroni`, command, { account, env })
    }
  }

  async #startHaproxy(): Promise<void> {
    const path = join(this.folder, 'haproxy.cfg')
    this.#write(path, haproxyConfiguration(this.#addresses()))
    const command = [this.#settings.programs.haproxy, '-db', '-f', path] as const
    await launch(this.folder, 'haproxy', command, { account: this.#account })
  }

  #addresses() {
    const { basePort } = this.#settings
    return {
      machines: machines.map((name) => ({ name, ports: this.#portsOf(name) })),
      doors: { postgres: basePort, http: basePort + 1, status: basePort + 2 },
      nodes: nodes.map((node) => this.#portOf(node)),
    }
  }

  #bootstrap(): void {
    const { programs, secrets } = this.#settings
    const connection = ['-h', '127.0.0.1', '-p', String(this.postgresPort), '-U', 'postgres', '-d', 'postgres']
    const options = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', join(here, 'bootstrap.sql')]
    const env = { PATH: process.env.PATH, PGPASSWORD: secrets.superuser, ROLLBOOK_PASSWORD: secrets.rollbook }
    execFileSync(join(programs.postgresBin, 'psql'), [...connection, ...options], { env, stdio: 'inherit' })
  }

  /** Node a reaches PostgreSQL through HAProxy; node b knows all three servers and finds the primary itself. */
  async startNode(node: Node): Promise<void> {
    const each = machines.map((machine) => `127.0.0.1:${this.#portsOf(machine).postgres}`)
    const hosts = node === 'a' ? `127.0.0.1:${this.postgresPort}` : each.join(',')
    const env = {
      ROLLBOOK_DATABASE_URL: `postgres://rollbook:${this.#settings.secrets.rollbook}@${hosts}/rollbook`,
      ROLLBOOK_ADMIN_KEY: this.adminKey,
      ROLLBOOK_PORT: String(this.#portOf(node)),
      ROLLBOOK_LOG_LEVEL: 'warn',
    }
    const command = [
      process.execPath,
      '--max-semi-space-size=8',
      '--v8-pool-size=2',
      '--expose-gc',
      join(checkout, 'bin/rollbook.js'),
    ] as const
    await launch(this.folder, `rollbook-${node}`, command, { env })
  }

  /** Stops everything and removes the folder. */
  async down(): Promise<void> {
    for (const machine of machines) this.thaw(machine)
    const find = (name: string) => markOf(this.folder, name)
    const patronis = machines.map((machine) => find(`${machine}-patroni`)).filter(isThere)
    // Kill Patroni first, or it would restart what is stopped here.
    killTrees(patronis)
    const postmasters = machines.map((machine) => postmasterOf(this.#dataDirectory(machine))).filter(isThere)
    const names = [
      'haproxy',
      ...machines.map((machine) => `${machine}-etcd`),
      ...nodes.map((node) => `rollbook-${node}`),
    ]
    const others = names.map(find).filter(isThere)
    for (const mark of others) send(mark, 'SIGTERM')
    // PostgreSQL's immediate shutdown: it skips the checkpoint but still frees its shared memory.
    for (const mark of postmasters) send(mark, 'SIGQUIT')
    killTrees(await waitForEnd([...patronis, ...postmasters, ...others], 15_000))
    rmSync(this.folder, { recursive: true, force: true })
  }

  // --- failures of a machine ---

  /** Kills PostgreSQL and Patroni; etcd continues. */
  killPostgres(machine: Machine): void {
    killTrees([markOf(this.folder, `${machine}-patroni`), postmasterOf(this.#dataDirectory(machine))].filter(isThere))
  }

  /** Kills only PostgreSQL; Patroni notices and acts. */
  crashPostgres(machine: Machine): void {
    killTrees([postmasterOf(this.#dataDirectory(machine))].filter(isThere))
  }

  /** Kills only Patroni: PostgreSQL continues unsupervised. */
  killPatroni(machine: Machine): void {
    killTrees([markOf(this.folder, `${machine}-patroni`)].filter(isThere))
  }

  /** Kills everything on the machine, as a power failure would. */
  kill(machine: Machine): void {
    killTrees(this.#rootsOf(machine))
  }

  /** Freezes everything on the machine; connections to it stay open and silent. */
  freeze(machine: Machine): void {
    signalTrees(this.#rootsOf(machine), 'SIGSTOP')
  }

  thaw(machine: Machine): void {
    signalTrees(this.#rootsOf(machine), 'SIGCONT')
  }

  #rootsOf(machine: Machine) {
    const marks = [`${machine}-etcd`, `${machine}-patroni`].map((name) => markOf(this.folder, name))
    return [...marks, postmasterOf(this.#dataDirectory(machine))].filter(isThere)
  }

  #dataDirectory(machine: Machine): string {
    return join(this.folder, machine, 'postgres')
  }

  /** Changes the leader in an orderly way, as before maintenance. Resolves to Patroni's response. */
  async switchover(leader: Machine, candidate?: Machine): Promise<string> {
    const authorization = `Basic ${btoa(`operator:${this.#settings.secrets.operator}`)}`
    const answer = await fetch(`http://127.0.0.1:${this.#portsOf(leader).patroni}/switchover`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ leader, ...(candidate && { candidate }) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`Patroni refuses the switchover: ${text}`)
    return text
  }

  // --- state ---

  /** Returns Patroni's view of the three machines, from the first that responds. */
  async members(): Promise<Member[]> {
    for (const machine of machines) {
      try {
        const url = `http://127.0.0.1:${this.#portsOf(machine).patroni}/cluster`
        const answer = await fetch(url, { signal: AbortSignal.timeout(1000) })
        return ((await answer.json()) as { members: Member[] }).members
      } catch {
        // Dead, frozen or stopping: the next one knows too.
      }
    }
    return []
  }

  /** Returns the leader according to etcd. It may have died a moment ago. */
  async leader(): Promise<Machine | undefined> {
    return (await this.members()).find(({ role }) => role === 'leader')?.name
  }

  /** Three running, one leader, one synchronous standby: the state in which any one may be lost. */
  async isWhole(): Promise<boolean> {
    // Ask each one itself: a lost machine stays on the others' list until its entry expires.
    if (!(await Promise.all(machines.map((machine) => this.#isHealthy(machine)))).every(Boolean)) return false
    const members = await this.members()
    const count = (role: string) => members.filter((member) => member.role === role).length
    const running = members.filter(({ state }) => state === 'running' || state === 'streaming').length
    const timelines = new Set(members.map(({ timeline }) => timeline))
    return running === machines.length && timelines.size === 1 && count('leader') === 1 && count('sync_standby') === 1
  }

  async #isHealthy(machine: Machine): Promise<boolean> {
    return isOk(`http://127.0.0.1:${this.#portsOf(machine).patroni}/health`)
  }

  /** @throws if the process has ended, since waiting is then useless */
  async isNodeReady(node: Node): Promise<boolean> {
    if (markOf(this.folder, `rollbook-${node}`) === undefined) {
      throw new Error(`Rollbook ${node} has ended:\n${readFileSync(join(this.folder, 'log', `rollbook-${node}.log`))}`)
    }
    return isOk(`${this.urlOf(node)}/health/ready`)
  }

  async areNodesReady(): Promise<boolean> {
    return (await Promise.all(nodes.map((node) => this.isNodeReady(node)))).every(Boolean)
  }

  /** Rollbook was stopped on purpose and may be started again. */
  async stopNode(node: Node): Promise<void> {
    const mark = markOf(this.folder, `rollbook-${node}`)
    if (mark === undefined) return
    send(mark, 'SIGTERM')
    killTrees(await waitForEnd([mark], 15_000))
    forget(this.folder, `rollbook-${node}`)
  }

  // --- files ---

  #configure(name: Machine): void {
    const { postgresBin } = this.#settings.programs
    const machine = { name, folder: this.folder, postgresBin, loopback: this.#addresses() }
    this.#write(join(this.folder, name, 'etcd.yml'), etcdConfiguration(machine))
    this.#write(join(this.folder, name, 'patroni.yml'), patroniConfiguration(machine))
  }

  #write(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600 })
    this.#handOver(path)
  }

  #handOver(path: string): void {
    if (this.#account === undefined) return
    chownSync(path, this.#account.uid, this.#account.gid)
    chmodSync(path, existsSync(join(path, '.')) ? 0o700 : 0o600)
  }
}

/** PostgreSQL refuses to run as root, so as root we start all but Rollbook as the Debian package's account. */
function unprivileged(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Sixty consecutive unused ports. Above 32768 the system uses them for outgoing connections. */
async function freePorts(): Promise<number> {
  for (let base = 17_400; base < 32_000; base += 100) {
    const ports = Array.from({ length: 60 }, (_, offset) => base + offset)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return base
  }
  throw new Error('There are no free ports for the lab between 17400 and 32000.')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const probe = createServer()
    probe.once('error', () => answer(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)))
  })
}

async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) })
    await answer.body?.cancel()
    return answer.status === 200
  } catch {
    return false
  }
}

export async function waitFor(what: string, seconds: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited ${seconds} s in vain for ${what}.`)
    await sleep(200)
  }
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined
}
