/** `rollbook keys`: API keys, through the API. */
import { type Command, Option } from 'commander'
import { apiKeySchema } from '../../access/credentials/keys/schema.ts'
import { builtInPermissions, limitedPermissions } from '../../core/permissions.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { shownName } from '../../lib/shown-name.ts'
import type { ApiKey, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getOrganization } from '../server/find-organization.ts'
import { getUser, isUserId as isUuid } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { notFound, UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addSecretOption, makeSecret, type SecretOptions } from '../terminal/secret-output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

const members = apiKeySchema.required

type OfUser = { user?: string }
type ReadOptions = OutputOptions & RemoteOptions
type ChangeOptions = ReadOptions & WriteOptions
type CreateOptions = ChangeOptions &
  SecretOptions &
  OfUser & { permissions?: string[]; permission?: string[]; organization?: string; expiresAt?: string }

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .summary('create, change, rotate and revoke API keys')
    .description('Manages API keys. A key is identified by its id, its name or its prefix.')
  examples(keys, [
    ['rollbook keys create "nightly sync" --permissions users:read', 'create a key for a program'],
    ['rollbook keys list', 'show all keys and when each was last used'],
  ])
  addList(keys)
  addCreate(keys)
  addUpdate(keys)
  addRotate(keys)
  addRevoke(keys)
}

function addList(keys: Command): void {
  const list = keys
    .command('list')
    .summary('list all keys, without their secrets')
    .description(
      'Lists the keys of programs, or with --user those of a person or a service account, without their secrets.',
    )
    .option('--user <user>', 'the keys of a user: username, email address or user_id')
    .action(runList)
  examples(list, [
    ['rollbook keys list', 'show all keys'],
    ['rollbook keys list --columns name,last_used_at --output csv', 'find unused keys'],
    ['rollbook keys list --user ada', 'show the keys of a user'],
  ])
  addOutputOptions(list, { all: members, shown: ['key_id', 'prefix', 'name', 'permissions', 'last_used_at'] })
  addRemoteOptions(list)
}

async function runList({ user, ...options }: ReadOptions & OfUser): Promise<void> {
  await withServer(options, async (client, signal) => printRows(await listKeys(client, user, signal), options, 'keys'))
}

/** The keys of programs, or of a user. */
async function listKeys(client: RollbookClient, user: string | undefined, signal: AbortSignal): Promise<ApiKey[]> {
  if (user === undefined) return client.keys.list({ signal })
  return client.keys.listOf((await getUser(client, user, {}, signal)).user_id, { signal })
}

function addCreate(keys: Command): void {
  const create = keys
    .command('create')
    .summary('create a key')
    .description(
      'Creates a key and shows it once. It can only have permissions that your own key has. With --user it is the key of a service account, and only says who the account is unless it gets permissions. With --secret-file the key is written to a file instead, which only its owner can read.',
    )
    .argument('<name>', 'what the key is for')
    .option('--user <user>', 'a service account: username, email address or user_id')
    .option('--permissions <words>', 'permissions, such as users:read,users:write; * is all of them', words)
    .addOption(new Option('--permission <words>').argParser(words).hideHelp())
    .option('--organization <organization>', 'the organization that the key belongs to: its name or id')
    .option('--expires-at <instant>', 'when the key expires, such as 2027-01-01T00:00:00Z (default: never)')
    .action(runCreate)
  examples(create, [
    ['rollbook keys create "nightly sync" --permissions users:read', 'show the key once'],
    ['rollbook keys create production --user billing', 'create a key of a service account'],
    [
      'rollbook keys create acme --permissions users:read@organization --organization Acme',
      'for users of one organization',
    ],
    ['rollbook keys create crm --permissions events:read --secret-file crm.key', 'write the key to a file'],
  ])
  addSecretOption(create, 'the key')
  addWriteOptions(create)
  addOutputOptions(create, [...members, 'key'])
  addRemoteOptions(create)
}

async function runCreate(name: string, options: CreateOptions): Promise<void> {
  const { user, organization, expiresAt: expires_at, dryRun = false } = options
  const permissions = options.permissions ?? options.permission ?? (user === undefined ? undefined : [])
  if (permissions === undefined)
    throw new UsageError(
      `Give --permissions, such as --permissions users:read,users:write. There are ${[...builtInPermissions, '*'].join(', ')}.`,
    )
  if (user !== undefined && organization !== undefined)
    throw new UsageError('Give --user or --organization: the key of a user belongs to the organization of the user.')
  const input = { name, permissions, ...(expires_at !== undefined && { expires_at }) }
  await withServer(options, async (client, signal) => {
    const owner = user === undefined ? undefined : await getUser(client, user, {}, signal)
    const place = organization === undefined ? undefined : await getOrganization(client, organization, signal)
    const within = place === undefined ? {} : { organization_id: place.organization_id }
    const create = () =>
      owner === undefined
        ? client.keys.create({ ...input, ...within }, { signal, dryRun })
        : client.keys.createOf(owner.user_id, input, { signal, dryRun })
    const { created: made, file } = await makeSecret(options, 'key', create).catch((error) =>
      explainPermissions(error, permissions, client, signal),
    )
    await printOne(made, options)
    if (dryRun) return tell('Nothing was created. The key would be as shown, with its own secret.')
    tell(file === undefined ? 'The key is shown only once. Keep it safe.' : `The key is in ${file}.`)
  })
}

/** Lists the existing permissions if an unknown one was given. */
async function explainPermissions(
  error: { errors?: readonly { code: string }[] },
  permissionNames: readonly string[],
  client: RollbookClient,
  signal: AbortSignal,
): Promise<never> {
  if (!error.errors?.some(({ code }) => code === 'permission_unknown')) throw error
  const ofRoles = await client.roles.list({ signal }).catch(() => [])
  const known = [
    ...new Set([
      ...builtInPermissions,
      ...limitedPermissions,
      ...ofRoles.flatMap(({ permissions }) => permissions),
      '*',
    ]),
  ]
  const wrong = permissionNames
    .filter((one) => !known.includes(one))
    .map((one) => {
      const near = nearestName(one, known)
      return `${shownName(one)}${near === undefined ? '' : ` (did you mean ${near}?)`}`
    })
  throw new UsageError(`There is no permission ${wrong.join(', ')}. There are ${known.join(', ')}.`, { cause: error })
}

type UpdateOptions = OfUser &
  ChangeOptions &
  OverrideOption & { name?: string; permissions?: string[]; expiresAt?: string }

function addUpdate(keys: Command): void {
  const update = keys
    .command('update')
    .summary('change the name, permissions or expiry of a key')
    .description('Changes a key, which keeps its secret. It cannot get more permissions than you have.')
    .argument('<key>', 'its id, name or prefix')
    .option('--user <user>', 'the service account that it belongs to')
    .option('--name <name>', 'another name')
    .addOption(
      new Option('--permissions <words>', 'its permissions, separated by commas').argParser((text) =>
        text.split(',').filter((word) => word !== ''),
      ),
    )
    .option('--expires-at <time>', 'when it expires, such as 2027-01-01T00:00:00Z; never: it does not')
    .action(runUpdate)
  examples(update, [
    ['rollbook keys update "nightly sync" --permissions users:read,groups:read', 'give it other permissions'],
    ['rollbook keys update rb_3kTz9Q --expires-at never', 'let it not expire'],
  ])
  addOverrideOption(update, 'a key')
  addWriteOptions(update)
  addOutputOptions(update, members)
  addRemoteOptions(update)
}

async function runUpdate(text: string, { name, permissions, expiresAt, ...options }: UpdateOptions): Promise<void> {
  const { dryRun = false, override } = options
  const input = {
    ...(name !== undefined && { name }),
    ...(permissions !== undefined && { permissions }),
    ...(expiresAt !== undefined && { expires_at: expiresAt === 'never' ? null : expiresAt }),
  }
  if (Object.keys(input).length === 0)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  await withServer(options, async (client, signal) => {
    const { key_id } = await getKey(client, text, options, signal)
    const changed = await client.keys
      .update(key_id, input, { signal, dryRun, override })
      .catch((error) => explainPermissions(error, permissions ?? [], client, signal))
    await printOne(changed, options)
    tell(dryRun ? 'Nothing was changed. The key would be as shown.' : `Changed ${changed.name}.`)
  })
}

function addRotate(keys: Command): void {
  const rotate = keys
    .command('rotate')
    .summary('replace the secret of a key')
    .description(
      'Creates a new secret for a key and shows it once. The old secret stays valid for a while: one day, unless configured otherwise.',
    )
    .argument('<key>', 'its id, name or prefix')
    .option('--user <user>', 'the service account that it belongs to')
    .action(runRotate)
  examples(rotate, [
    ['rollbook keys rotate "nightly sync" --secret-file sync.key', 'write the new key to a file'],
    ['rollbook keys rotate rb_3kTz9Q --dry-run', 'check whether it is allowed'],
  ])
  addSecretOption(rotate, 'the key')
  addWriteOptions(rotate)
  addOutputOptions(rotate, [...members, 'key'])
  addRemoteOptions(rotate)
}

async function runRotate(text: string, options: OfUser & ChangeOptions & SecretOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { key_id } = await getKey(client, text, options, signal)
    const { created: made, file } = await makeSecret(options, 'key', () =>
      client.keys.rotate(key_id, { signal, dryRun }),
    )
    await printOne(made, options)
    if (dryRun) return tell('Nothing was changed. The key can be rotated.')
    tell(file === undefined ? 'The new key is shown only once. Keep it safe.' : `The new key is in ${file}.`)
  })
}

function addRevoke(keys: Command): void {
  const revoke = keys
    .command('revoke')
    .summary('revoke a key')
    .description('Revokes a key for good. It is refused everywhere within a second. Asks first, unless --yes is given.')
    .argument('<key>', 'its id, name or prefix')
    .option('--user <user>', 'the user that it belongs to')
    .action(runRevoke)
  examples(revoke, [
    ['rollbook keys revoke "nightly sync"', 'with confirmation'],
    ['rollbook keys revoke rb_3kTz9Q --yes', 'without confirmation'],
  ])
  addOverrideOption(revoke, 'a key')
  addWriteOptions(revoke)
  addOutputOptions(revoke, ['key_id', 'revoked'])
  addRemoteOptions(revoke)
}

async function runRevoke(text: string, options: OfUser & ChangeOptions & OverrideOption): Promise<void> {
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const { key_id, name, prefix } = await getKey(client, text, options, signal)
    const what = prefix === '' ? name : `${name} (${prefix}…)`
    await confirm(`Revoke the key ${what} for good?`, options)
    await printOne(await client.keys.revoke(key_id, { signal, dryRun, override }), options)
    tell(dryRun ? `Nothing was changed. ${what} can be revoked.` : `Revoked ${what}.`)
  })
}

/** Refuse an ambiguous name rather than revoke the wrong key. */
async function getKey(client: RollbookClient, text: string, { user }: OfUser, signal: AbortSignal): Promise<ApiKey> {
  const keys = await listKeys(client, user, signal)
  const found = keys.filter(({ key_id, name, prefix }) =>
    isUuid(text) ? key_id === text.toLowerCase() : name === text || (prefix !== '' && prefix === text),
  )
  const [key] = found
  if (key === undefined) throw notFound('key', text, user === undefined ? 'keys list' : `keys list --user ${user}`)
  if (found.length > 1) throw new UsageError(`${found.length} keys have the name ${text}. Give the id of one of them.`)
  return key
}

function words(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}
