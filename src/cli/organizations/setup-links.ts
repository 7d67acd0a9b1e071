/** `rollbook organizations setup-links`: links with which IT administrators of customers set up their organization. */
import type { Command } from 'commander'
import type { CreateOrganizationSetupLink } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addOrganizationArgument, getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

type Features = CreateOrganizationSetupLink['features']

const features: Features = ['domains', 'connection', 'provisioning']
const columns = ['setup_link_id', 'features', 'state', 'email', 'expires_at', 'last_used_at']

type Options = OutputOptions & RemoteOptions
type CreateOptions = Options & WriteOptions & CreateValues
type CreateValues = { features?: string; expiresAt?: string; email?: string; locale?: string }

export function addSetupLinks(organizations: Command): void {
  const setupLinks = organizations
    .command('setup-links')
    .summary('manage setup links of an organization')
    .description(
      'Manages setup links. With one, the IT administrator of a customer proves domains and sets up sign-in and provisioning, without an account.',
    )
  examples(setupLinks, [
    ['rollbook organizations setup-links create Acme', 'create a link, and show it once'],
    ['rollbook organizations setup-links list Acme', 'show which links work, and when they were used'],
  ])
  addList(setupLinks)
  addCreate(setupLinks)
  addRevoke(setupLinks)
}

function addList(setupLinks: Command): void {
  const list = setupLinks
    .command('list')
    .summary('list the setup links of an organization')
    .description('Lists the setup links of an organization that work, and those that ended in the last 30 days.')
    .action((text: string, options: Options) =>
      withServer(options, async (client, signal) => {
        const { organization_id } = await getOrganization(client, text, signal)
        await printRows(await client.organizations.setupLinks(organization_id, { signal }), options, 'setup links')
      }),
    )
  addOrganizationArgument(list)
  examples(list, [
    ['rollbook organizations setup-links list Acme', 'show the links'],
    ['rollbook organizations setup-links list Acme --json', 'output for a program'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

function addCreate(setupLinks: Command): void {
  const create = setupLinks
    .command('create')
    .summary('create a setup link')
    .description(
      'Creates a setup link and shows it: it is not shown again. Its holder decides who signs in for the organization, so give it only to the IT administrator of the customer.',
    )
    .action(runCreate)
  addOrganizationArgument(create)
    .option('--features <list>', `what the link is for, separated by commas (default: ${features.join(',')})`)
    .option('--expires-at <instant>', 'until when the link works, such as 2027-01-01T00:00:00Z (default: in 7 days)')
    .option('--email <address>', 'send the link to this address as well')
    .option('--locale <tag>', 'the language of the message and of the pages, such as de')
  examples(create, [
    ['rollbook organizations setup-links create Acme', 'a link for everything, for 7 days'],
    ['rollbook organizations setup-links create Acme --email it@acme.example --locale de', 'send it in German'],
    ['rollbook organizations setup-links create Acme --features provisioning', 'only for provisioning'],
  ])
  addWriteOptions(create)
  addOutputOptions(create, [...columns, 'sent', 'url'])
  addRemoteOptions(create)
}

async function runCreate(text: string, options: CreateOptions): Promise<void> {
  const { dryRun = false, expiresAt: expires_at, email, locale } = options
  const body = {
    features: featuresIn(options.features),
    ...(expires_at !== undefined && { expires_at }),
    ...(email !== undefined && { email }),
    ...(locale !== undefined && { locale }),
  }
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    const link = await client.organizations.createSetupLink(organization_id, body, { signal, dryRun })
    await printOne(link, options)
    if (dryRun) return tell('Nothing was changed. The link would be as shown.')
    tell(link.sent ? `The link for ${name} is on its way to ${link.email}.` : `Give the link only to ${name}.`)
  })
}

/** @throws UsageError */
function featuresIn(text: string | undefined): Features {
  if (text === undefined) return features
  const wanted = text.split(',').map((one) => one.trim())
  const unknown = wanted.filter((one) => !(features as readonly string[]).includes(one))
  if (unknown.length > 0) throw new UsageError(`There is no feature "${unknown[0]}". Use ${features.join(', ')}.`)
  return [...new Set(wanted)] as Features
}

function addRevoke(setupLinks: Command): void {
  const revoke = setupLinks
    .command('revoke')
    .summary('revoke a setup link')
    .description(
      'Revokes a setup link: it stops working at once. What was set up with it stays. Asks first, unless --yes is given.',
    )
    .action(runRevoke)
  addOrganizationArgument(revoke).argument('<link>', 'its id, as setup-links list shows it')
  examples(revoke, [
    [
      'rollbook organizations setup-links revoke Acme 019a9f3e-0000-7000-8000-000000000000 --dry-run',
      'check whether there is such a link',
    ],
    [
      'rollbook organizations setup-links revoke Acme 019a9f3e-0000-7000-8000-000000000000 --yes',
      'without confirmation',
    ],
  ])
  addWriteOptions(revoke)
  addOutputOptions(revoke, ['organization_id', 'setup_link_id', 'revoked'])
  addRemoteOptions(revoke)
}

async function runRevoke(text: string, setupLinkId: string, options: Options & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    await confirm(`Revoke this setup link of ${name}?`, options)
    const revoked = await client.organizations.revokeSetupLink(organization_id, setupLinkId, { signal, dryRun })
    await printOne(revoked, options)
    tell(dryRun ? 'Nothing was changed. The link can be revoked.' : 'The link no longer works.')
  })
}
