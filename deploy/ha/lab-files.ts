/** Adapts the shipped configuration to the lab: its own ports, folders and secrets. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type LabPorts = { postgres: number; patroni: number; etcd: number; etcdPeer: number }

type Replacement = readonly [shipped: string, lab: string | number]

type Lab = {
  machines: readonly { name: string; ports: LabPorts }[]
  /** HAProxy's three frontends. */
  doors: { postgres: number; http: number; status: number }
  /** Rollbook's ports, in the order of haproxy.cfg. */
  nodes: readonly number[]
}

type Machine = { name: string; folder: string; postgresBin: string; loopback: Lab }

/** Documentation addresses (RFC 5737), one per machine and node. */
const addressOf = (index: number) => `192.0.2.${11 + index}`
const nodeAddressOf = (index: number) => `192.0.2.${21 + index}`

export function haproxyConfiguration({ machines, doors, nodes }: Lab): string {
  return replaced('haproxy.cfg', [
    ['bind 127.0.0.1:5000', `bind 127.0.0.1:${doors.postgres}`],
    ['bind :80', `bind 127.0.0.1:${doors.http}`],
    ['bind 127.0.0.1:7000', `bind 127.0.0.1:${doors.status}`],
    ...machines.map(
      ({ ports }, i): Replacement => [
        `${addressOf(i)}:5432 check port 8008`,
        `127.0.0.1:${ports.postgres} check port ${ports.patroni}`,
      ],
    ),
    ...nodes.map((port, i): Replacement => [`${nodeAddressOf(i)}:8080`, `127.0.0.1:${port}`]),
  ])
}

export function etcdConfiguration({ name, folder, loopback }: Machine): string {
  const { etcd, etcdPeer } = portsOf(name, loopback)
  const members = loopback.machines.map((machine) => `${machine.name}=http://127.0.0.1:${machine.ports.etcdPeer}`)
  return replaced('etcd.yml', [
    [
      'initial-cluster: pg1=http://192.0.2.11:2380,pg2=http://192.0.2.12:2380,pg3=http://192.0.2.13:2380',
      `initial-cluster: ${members}`,
    ],
    ['name: pg1', `name: ${name}`],
    ['/var/lib/etcd/rollbook', join(folder, name, 'etcd')],
    ['http://192.0.2.11:2379', `http://127.0.0.1:${etcd}`],
    ['http://192.0.2.11:2380', `http://127.0.0.1:${etcdPeer}`],
  ])
}

export function patroniConfiguration({ name, folder, postgresBin, loopback }: Machine): string {
  const { patroni, postgres } = portsOf(name, loopback)
  return replaced('patroni.yml', [
    ['name: pg1', `name: ${name}`],
    [
      '192.0.2.11:2379,192.0.2.12:2379,192.0.2.13:2379',
      loopback.machines.map(({ ports }) => `127.0.0.1:${ports.etcd}`).join(),
    ],
    ['192.0.2.11:8008', `127.0.0.1:${patroni}`],
    ['192.0.2.11:5432', `127.0.0.1:${postgres}`],
    ['/var/lib/postgresql/15/main', join(folder, name, 'postgres')],
    ['/usr/lib/postgresql/15/bin', postgresBin],
    ['/var/lib/postgresql/pgpass', join(folder, name, 'pgpass')],
    ['/var/run/postgresql', join(folder, name)],
    ['192.0.2.0/24', '127.0.0.1/32'],
    // The three share one machine.
    ['shared_buffers: 1GB', 'shared_buffers: 64MB'],
    // The lab has no watchdog, to show what holds without one.
    ['mode: automatic', 'mode: "off"'],
  ])
}

function portsOf(name: string, { machines }: Lab): LabPorts {
  const found = machines.find((machine) => machine.name === name)
  if (found === undefined) throw new Error(`The lab has no machine ${name}.`)
  return found.ports
}

/** Throws if the shipped file no longer has the value, rather than listen on another machine's port. */
function replaced(file: string, replacements: readonly Replacement[]): string {
  let text = readFileSync(join(import.meta.dirname, file), 'utf8')
  for (const [shipped, lab] of replacements) {
    if (!text.includes(shipped)) throw new Error(`${file} does not contain "${shipped}", which the lab replaces.`)
    text = text.replaceAll(shipped, String(lab))
  }
  if (/^[^#]*192\.0\.2\./m.test(text)) throw new Error(`${file} names an address that the lab does not replace.`)
  return text
}
