/** Starts a real proxy with the configuration that we ship, as an unprivileged process in a folder that is thrown away. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProxy, type ProxyName } from './find.ts'

const shipped = join(import.meta.dirname, '../../deploy')
const shippedPatience = '15s'

export type Ports = { proxy: number; rollbook: number; product: number }

/** `keeps` the prefix /auth when it hands requests on to Rollbook, or `strips` it. */
export type ProxyKind = { name: ProxyName; prefix: 'keeps' | 'strips' }

export const proxyKinds: readonly ProxyKind[] = (['nginx', 'caddy'] as const).flatMap((name) => [
  { name, prefix: 'keeps' } as const,
  { name, prefix: 'strips' } as const,
])

/**
 * Answers what the proxy has said so far.
 *
 * @param patience how long it waits for Rollbook, where that is not to be what the configuration says
 */
export async function startProxy(
  t: TestContext,
  kind: ProxyKind,
  ports: Ports,
  patience = shippedPatience,
): Promise<() => string> {
  const program = await findProxy(kind.name)
  assert.ok(program !== undefined)
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-proxy-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const configure = kind.name === 'nginx' ? configureNginx : configureCaddy
  const commandLine = configure(folder, kind, ports, patience)
  // As the user nobody: our configurations need no more.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o755)

  const child = spawn(program, commandLine, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
    ...owner,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part
    })
  }
  const whenEnded = once(child, 'close')
  t.after(async () => {
    child.kill('SIGTERM')
    const killer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await whenEnded
    clearTimeout(killer)
  })
  const deadline = Date.now() + 60_000
  while (!(await isListening(ports.proxy))) {
    assert.ok(child.exitCode === null && Date.now() < deadline, `${kind.name} did not start: ${said}`)
    await sleep(20)
  }
  return () => said
}

function configureNginx(folder: string, { prefix }: ProxyKind, ports: Ports, patience: string): string[] {
  cpSync(join(shipped, 'nginx'), folder, { recursive: true })
  const question = join(folder, 'rollbook/question.conf')
  const limit: Edits = [[`proxy_read_timeout ${shippedPatience};`, `proxy_read_timeout ${patience};`]]
  writeFileSync(question, edited(readFileSync(question, 'utf8'), limit))
  const file = join(folder, 'orchard.conf')
  const edits: Edits = [
    ['listen 80;', `listen 127.0.0.1:${ports.proxy};`],
    ['server 127.0.0.1:8080;', `server 127.0.0.1:${ports.rollbook};`],
    ['server 127.0.0.1:8000;', `server 127.0.0.1:${ports.product};`],
  ]
  if (prefix === 'strips') edits.push(['include rollbook/keep-prefix.conf;', 'include rollbook/strip-prefix.conf;'])
  writeFileSync(file, edited(readFileSync(file, 'utf8'), edits))
  const scratch = join(folder, 'scratch')
  mkdirSync(scratch)
  chmodSync(scratch, 0o777)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${scratch}/${of};`,
  )
  // An operator may have changed what names of headers nginx takes: the shipped files do not depend on it.
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${scratch}/pid; error_log stderr warn;
     events {} http { access_log off; ignore_invalid_headers off; underscores_in_headers on; ${temporary.join(' ')} include orchard.conf; }`,
  )
  return ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
}

function configureCaddy(folder: string, { prefix }: ProxyKind, ports: Ports, patience: string): string[] {
  const edits: Edits = [
    [`response_header_timeout ${shippedPatience}`, `response_header_timeout ${patience}`],
    ['http://orchard.example.com {', `http://127.0.0.1:${ports.proxy} {`],
    ['127.0.0.1:8080', `127.0.0.1:${ports.rollbook}`],
    ['127.0.0.1:8000', `127.0.0.1:${ports.product}`],
  ]
  if (prefix === 'strips') edits.push(['# uri strip_prefix /auth', 'uri strip_prefix /auth'])
  const text = edited(readFileSync(join(shipped, 'caddy/Caddyfile'), 'utf8'), edits)
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${text}`)
  return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
}

type Edits = [from: string, to: string][]

function edited(text: string, edits: Edits): string {
  return edits.reduce((so_far, [from, to]) => {
    assert.ok(so_far.includes(from), `the shipped configuration has no ${from}`)
    return so_far.replaceAll(from, to)
  }, text)
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
