/** What happens to the database while it is used, and what puts it right again. */
import { type Lab, type Machine, waitFor } from '../../deploy/ha/cluster.ts'

export type Scenario = {
  name: string
  title: string
  /** Whether another machine leads afterwards. */
  movesLead: boolean
  inject(lab: Lab, leader: Machine): unknown
  /** What an operator does, or a service manager. Rollbook and HAProxy are never touched. */
  mend(lab: Lab, leader: Machine): unknown
  /** For whom it strikes, if not the leader. */
  victim?: (lab: Lab) => Promise<Machine>
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'kill',
    title: 'PostgreSQL and Patroni of the primary killed',
    movesLead: true,
    inject: (lab, machine) => lab.killPostgres(machine),
    mend: (lab, machine) => lab.startMachine(machine),
  },
  {
    name: 'freeze',
    title: 'the primary frozen, and thawed when another leads',
    movesLead: true,
    inject: (lab, machine) => lab.freeze(machine),
    mend: (lab, machine) => lab.thaw(machine),
  },
  {
    name: 'power',
    title: 'the power of the primary cut (with its etcd)',
    movesLead: true,
    inject: (lab, machine) => lab.kill(machine),
    mend: (lab, machine) => lab.startMachine(machine),
  },
  {
    name: 'patroni',
    title: 'Patroni alone killed: two primaries for a while',
    movesLead: true,
    inject: (lab, machine) => lab.killPatroni(machine),
    mend: (lab, machine) => lab.startMachine(machine),
  },
  {
    name: 'crash',
    title: 'PostgreSQL of the primary killed, Patroni lives',
    movesLead: true,
    inject: (lab, machine) => lab.crashPostgres(machine),
    mend: () => {},
  },
  {
    name: 'standby',
    title: 'the power of the synchronous standby cut',
    movesLead: false,
    victim: synchronousStandby,
    inject: (lab, machine) => lab.kill(machine),
    mend: (lab, machine) => lab.startMachine(machine),
  },
  {
    name: 'switchover',
    title: 'the lead handed over, as for maintenance',
    movesLead: true,
    inject: (lab, machine) => lab.switchover(machine),
    mend: () => {},
  },
]

async function synchronousStandby(lab: Lab): Promise<Machine> {
  const standby = (await lab.members()).find(({ role }) => role === 'sync_standby')
  if (standby === undefined) throw new Error('No standby is synchronous.')
  return standby.name
}

export async function leaderOf(lab: Lab): Promise<Machine> {
  await waitFor('a cluster in which any machine may be lost', 60, () => lab.isWhole())
  const leader = await lab.leader()
  if (leader === undefined) throw new Error('Nobody leads.')
  return leader
}
