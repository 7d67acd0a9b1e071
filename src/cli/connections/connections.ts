/** `rollbook connections`: companies and other identity providers through which users sign in. */
import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { CreateSignInConnection, UpdateSignInConnection } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getConnection } from '../server/find-connection.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'
import { addIdentities, addLink, addUnlink } from './identities.ts'
import { addLookUp } from './look-up.ts'
import { addMetadata } from './metadata.ts'
import { addPasswords } from './passwords.ts'
import { readObject } from './read-object.ts'
import { addSync } from './sync.ts'
import { printTrial } from './trial.ts'

type Common = OutputOptions & RemoteOptions

const members = ['connection_id', 'kind', 'preset', 'name', 'active', 'position', 'identity_count', 'updated_at']
const columns = { all: members, shown: ['connection_id', 'kind', 'name', 'active', 'identity_count'] }

export function addConnections(program: Command): void {
  const connections = program
    .command('connections')
    .summary('let users sign in through companies')
    .description(
      'Manages sign-in connections: companies and other identity providers through which users sign in, with OpenID Connect, GitHub, SAML or LDAP. A connection is identified by its id or its name. Its members come from a JSON file, so that secrets stay out of the history of the shell.',
    )
  examples(connections, [
    ['rollbook connections create company.json', 'create a connection, and show what to copy to the other side'],
    ['rollbook connections failures "Example Inc."', 'show why sign-ins failed, and what to change'],
  ])
  addList(connections)
  addGet(connections)
  addCreate(connections)
  addUpdate(connections)
  addDelete(connections)
  addTest(connections)
  addLookUp(connections)
  addFailures(connections)
  addPasswords(connections)
  addMetadata(connections)
  addSync(connections)
  addIdentities(connections)
  addLink(connections)
  addUnlink(connections)
}

function addList(connections: Command): void {
  const list = connections
    .command('list')
    .summary('list the connections')
    .description('Lists all connections in the order of their buttons, with how many users have linked each.')
    .action((options: Common) =>
      withServer(options, async (client, signal) =>
        printRows(await client.connections.list({ signal }), options, 'connections'),
      ),
    )
  examples(list, [
    ['rollbook connections list', 'show all connections'],
    ['rollbook connections list --json name,active', 'output for a program'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

function addGet(connections: Command): void {
  const get = connections
    .command('get')
    .summary('show a connection')
    .description('Shows a connection without its secrets, with what to copy to the other side.')
    .argument('<connection>', 'its id or name')
    .action((name: string, options: Common) =>
      withServer(options, async (client, signal) => printOne(await getConnection(client, name, signal), options)),
    )
  examples(get, [
    ['rollbook connections get Okta', 'show one connection'],
    ["rollbook connections get Okta --template '{{redirect_uri}}'", 'only the address to register'],
  ])
  addOutputOptions(get, members)
  addRemoteOptions(get)
}

function addCreate(connections: Command): void {
  const create = connections
    .command('create')
    .summary('create a connection')
    .description('Creates a connection with the members of a JSON file, as POST /connections takes them.')
    .argument('<file>', 'the JSON file; - reads standard input')
    .action(async (file: string, options: WriteOptions & Common) => {
      const { dryRun = false } = options
      const input = (await readObject(file)) as CreateSignInConnection
      await withServer(options, async (client, signal) => {
        await printOne(await client.connections.create(input, { signal, dryRun }), options)
        tell(dryRun ? 'Nothing was created. The connection would be as shown.' : `Created ${input.name}.`)
      })
    })
  examples(create, [
    ['rollbook connections create company.json', 'create a connection'],
    ['rollbook connections create company.json --dry-run', 'see whether it would be accepted'],
  ])
  addWriteOptions(create)
  addOutputOptions(create, members)
  addRemoteOptions(create)
}

function addUpdate(connections: Command): void {
  const update = connections
    .command('update')
    .summary('change a connection')
    .description('Changes the members that a JSON file has. Another issuer or client removes the linked accounts.')
    .argument('<connection>', 'its id or name')
    .argument('<file>', 'the JSON file; - reads standard input')
    .action(async (name: string, file: string, options: WriteOptions & OverrideOption & Common) => {
      const { dryRun = false, override } = options
      const patch = (await readObject(file)) as UpdateSignInConnection
      await withServer(options, async (client, signal) => {
        const { connection_id } = await getConnection(client, name, signal)
        const changed = await client.connections.update(connection_id, () => patch, { signal, dryRun, override })
        await printOne(changed, options)
        tell(dryRun ? 'Nothing was changed. The connection would be as shown.' : `Changed ${changed.name}.`)
      })
    })
  examples(update, [
    ['rollbook connections update Okta patch.json', 'change a connection'],
    [`echo '{"active":false}' | rollbook connections update Okta -`, 'switch it off, and end its sessions'],
  ])
  addOverrideOption(update, 'a connection')
  addWriteOptions(update)
  addOutputOptions(update, members)
  addRemoteOptions(update)
}

function addDelete(connections: Command): void {
  const remove = connections
    .command('delete')
    .summary('delete a connection with its linked accounts')
    .description(
      'Deletes a connection and what users have linked, and ends its sessions. Asks first, unless --yes is given.',
    )
    .argument('<connection>', 'its id or name')
    .action((text: string, options: WriteOptions & OverrideOption & Common) =>
      withServer(options, async (client, signal) => {
        const { dryRun = false, override } = options
        const { connection_id, name, identity_count } = await getConnection(client, text, signal)
        const accounts = counted(identity_count, 'linked account')
        await confirm(`Delete the connection ${name} with ${accounts}?`, options)
        await printOne(await client.connections.delete(connection_id, { signal, dryRun, override }), options)
        tell(dryRun ? `Nothing was changed. ${name} has ${accounts}.` : `Deleted ${name}.`)
      }),
    )
  examples(remove, [
    ['rollbook connections delete Okta --dry-run', 'see what would be removed'],
    ['rollbook connections delete Okta --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'a connection')
  addWriteOptions(remove)
  addOutputOptions(remove, ['connection_id', 'deleted', 'unlinked', 'sessions_ended'])
  addRemoteOptions(remove)
}

function addTest(connections: Command): void {
  const test = connections
    .command('test')
    .summary('show what a sign-in with some claims would do')
    .description(
      'Shows who would sign in, be linked or created with these claims, or why they are refused. Changes nothing.',
    )
    .argument('<connection>', 'its id or name')
    .argument('<file>', 'a JSON file with the claims; - reads standard input')
    .action(async (name: string, file: string, options: Common) => {
      const claims = await readObject(file)
      await withServer(options, async (client, signal) => {
        const { connection_id } = await getConnection(client, name, signal)
        await printTrial(await client.connections.test(connection_id, claims, { signal }), options)
      })
    })
  examples(test, [
    ['rollbook connections test Okta claims.json', 'try claims'],
    ['rollbook connections test Okta claims.json --json outcome,reason', 'only the result'],
  ])
  addOutputOptions(test, ['outcome', 'reason', 'detail', 'user_id', 'user', 'mapped', 'claims'])
  addRemoteOptions(test)
}

function addFailures(connections: Command): void {
  const failures = connections
    .command('failures')
    .summary('show why sign-ins failed, and what to change')
    .description('Lists the latest sign-ins through a connection that failed, for up to 14 days.')
    .argument('<connection>', 'its id or name')
    .action((name: string, options: Common) =>
      withServer(options, async (client, signal) => {
        const { connection_id } = await getConnection(client, name, signal)
        await printRows(await client.connections.failures(connection_id, { signal }), options, 'failed sign-ins')
      }),
    )
  examples(failures, [
    ['rollbook connections failures Okta', 'show the latest ones'],
    ['rollbook connections failures Okta --json', 'with what arrived, claim by claim'],
  ])
  addOutputOptions(failures, {
    all: ['failure_id', 'failed_at', 'request_id', 'reason', 'detail', 'claims'],
    shown: ['failed_at', 'reason', 'detail'],
  })
  addRemoteOptions(failures)
}
