/** `node deploy/ha/lab.ts`: starts the lab, breaks it, and stops it. See README.md. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Lab, type Machine, machines, type Node, nodes, waitFor } from './cluster.ts'

const usage = `Usage: node deploy/ha/lab.ts <command>

  up                  start everything
  status              who leads, who is ready, where to look
  switchover [pgN]    hand the lead over in an orderly way
  kill pgN            cut the power of a machine
  kill-postgres pgN   end PostgreSQL and Patroni of a machine, leave etcd
  crash pgN           end PostgreSQL of a machine only
  kill-patroni pgN    end Patroni of a machine only
  freeze pgN          stop everything on a machine in mid-air
  thaw pgN            let it go on
  start pgN           start again what is not running on a machine
  restart a|b         stop a Rollbook and start it again
  down                end everything and remove the folder

The lab is in the folder of ROLLBOOK_LAB, by default ${join(tmpdir(), 'rollbook-ha')}.
`

const folder = process.env.ROLLBOOK_LAB || join(tmpdir(), 'rollbook-ha')
const [command, name, ...rest] = process.argv.slice(2)

try {
  if (rest.length > 0) refuse()
  await run(command, name)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

async function run(command: string | undefined, name: string | undefined): Promise<void> {
  switch (command) {
    case 'up':
      return up()
    case 'status':
      return status(Lab.open(folder))
    case 'down':
      return Lab.open(folder).down()
    case 'switchover':
      return switchover(Lab.open(folder), name === undefined ? undefined : machine(name))
    case 'kill':
      return Lab.open(folder).kill(machine(name))
    case 'kill-postgres':
      return Lab.open(folder).killPostgres(machine(name))
    case 'crash':
      return Lab.open(folder).crashPostgres(machine(name))
    case 'kill-patroni':
      return Lab.open(folder).killPatroni(machine(name))
    case 'freeze':
      return Lab.open(folder).freeze(machine(name))
    case 'thaw':
      return Lab.open(folder).thaw(machine(name))
    case 'start':
      return Lab.open(folder).startMachine(machine(name))
    case 'restart':
      return restart(Lab.open(folder), node(name))
    default:
      return refuse()
  }
}

async function up(): Promise<void> {
  const lab = await Lab.create(folder, console.log)
  try {
    await lab.up(console.log)
  } catch (error) {
    throw new Error(`${(error as Error).message} The logs are in ${join(folder, 'log')}; \`down\` ends what runs.`)
  }
  await status(lab)
}

async function status(lab: Lab): Promise<void> {
  console.log('\nmachine  role           state      timeline')
  for (const { name, role, state, timeline } of await lab.members()) {
    console.log(`${name.padEnd(8)} ${role.padEnd(14)} ${state.padEnd(10)} ${timeline ?? ''}`)
  }
  console.log('\nRollbook')
  for (const name of nodes) {
    const ready = (await lab.isNodeReady(name)) ? 'ready' : 'not ready'
    console.log(`${name.padEnd(8)} ${ready.padEnd(14)} ${lab.urlOf(name)}`)
  }
  console.log(`
The API   ${lab.url}/users   (X-API-Key: ${lab.adminKey})
The docs  ${lab.url}/docs
HAProxy   ${lab.statusPage}
SQL       psql '${lab.superuserUrl()}'
Logs      ${join(lab.folder, 'log')}`)
}

async function switchover(lab: Lab, to: Machine | undefined): Promise<void> {
  const leader = await lab.leader()
  if (leader === undefined) throw new Error('No node leads at the moment.')
  console.log(await lab.switchover(leader, to))
}

async function restart(lab: Lab, name: Node): Promise<void> {
  await lab.stopNode(name)
  await lab.startNode(name)
  await waitFor(`node ${name} to be ready`, 30, () => lab.isNodeReady(name))
}

function machine(given: string | undefined): Machine {
  return machines.find((name) => name === given) ?? refuse()
}

function node(given: string | undefined): Node {
  return nodes.find((name) => name === given) ?? refuse()
}

function refuse(): never {
  process.stderr.write(usage)
  process.exit(2)
}
