/** `rollbook organizations domains`: the domains of an organization, and the DNS records that prove them. */
import type { Command } from 'commander'
import { organizationDomainSchema } from '../../directory/organizations/schema.ts'
import type { OrganizationDomain } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addOrganizationArgument, getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

const columns = organizationDomainSchema.required

type Options = OutputOptions & RemoteOptions
type ChangeOptions = Options & WriteOptions
type AddOptions = ChangeOptions & OverrideOption & { verified?: true }

export function addDomains(organizations: Command): void {
  const domains = organizations
    .command('domains')
    .summary('manage the domains of an organization')
    .description(
      'Manages the domains of an organization. A domain is verified when the name servers have its record, a TXT record, or when you vouch for it.',
    )
  examples(domains, [
    ['rollbook organizations domains add Acme acme.example', 'show the record that Acme must publish'],
    ['rollbook organizations domains verify Acme acme.example', 'look for the record'],
  ])
  addList(domains)
  addAdd(domains)
  addVerify(domains)
  addRemove(domains)
}

function addList(domains: Command): void {
  const list = domains
    .command('list')
    .summary('list the domains of an organization')
    .description('Lists the domains of an organization, whether they are verified, and the record that proves each.')
    .action((text: string, options: Options) =>
      withServer(options, async (client, signal) => {
        const organization = await getOrganization(client, text, signal)
        await printRows(organization.domains, options, 'domains')
      }),
    )
  addOrganizationArgument(list)
  examples(list, [
    ['rollbook organizations domains list Acme', 'show domains and records'],
    ['rollbook organizations domains list Acme --json', 'output for a program'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

function addAdd(domains: Command): void {
  const add = domains
    .command('add')
    .summary('add a domain, and show the record to publish')
    .description(
      'Adds a domain to an organization and shows the TXT record that its owner must publish. A domain that is there already is shown as it is.',
    )
    .action(runAdd)
  addOrganizationArgument(add)
    .argument('<domain>', 'such as acme.example')
    .option('--verified', 'vouch for the domain: no record is needed')
  examples(add, [
    ['rollbook organizations domains add Acme acme.example', 'show the record that Acme must publish'],
    [
      'rollbook organizations domains add Acme acme.example --verified',
      'without a record, because you know whose it is',
    ],
  ])
  addOverrideOption(add, 'an organization')
  addWriteOptions(add)
  addOutputOptions(add, columns)
  addRemoteOptions(add)
}

async function runAdd(text: string, domain: string, options: AddOptions): Promise<void> {
  const { dryRun = false, verified = false, override } = options
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    const added = await client.organizations.addDomain(
      organization_id,
      { domain, verified },
      { signal, dryRun, override },
    )
    await printOne(added, options)
    tell(dryRun ? 'Nothing was changed. The domain would be as shown.' : afterAddition(name, added))
  })
}

function afterAddition(name: string, { domain, verified_at, record_name, record_value }: OrganizationDomain): string {
  if (verified_at !== null) return `${domain} is verified for ${name}.`
  return `Publish a TXT record named ${record_name} with the value ${record_value}. Then run: rollbook organizations domains verify`
}

function addVerify(domains: Command): void {
  const verify = domains
    .command('verify')
    .summary('look for the record of a domain')
    .description(
      'Asks name servers for the TXT record of a domain, and verifies the domain if it is there. Otherwise says what was found instead.',
    )
    .action(runVerify)
  addOrganizationArgument(verify).argument('<domain>', 'such as acme.example')
  examples(verify, [
    ['rollbook organizations domains verify Acme acme.example', 'verify the domain'],
    ['rollbook organizations domains verify Acme acme.example --dry-run', 'only look'],
  ])
  addWriteOptions(verify)
  addOutputOptions(verify, columns)
  addRemoteOptions(verify)
}

async function runVerify(text: string, domain: string, options: ChangeOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    const verified = await client.organizations.verifyDomain(organization_id, domain, { signal, dryRun })
    await printOne(verified, options)
    tell(dryRun ? 'Nothing was changed. The record is there.' : `${verified.domain} is verified for ${name}.`)
  })
}

function addRemove(domains: Command): void {
  const remove = domains
    .command('remove')
    .summary('remove a domain from an organization')
    .description(
      'Removes a domain from an organization. If it is added again, it needs a new record. Asks first, unless --yes is given.',
    )
    .action(runRemove)
  addOrganizationArgument(remove).argument('<domain>', 'such as acme.example')
  examples(remove, [
    ['rollbook organizations domains remove Acme acme.example --dry-run', 'check whether it is there'],
    ['rollbook organizations domains remove Acme acme.example --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'an organization')
  addWriteOptions(remove)
  addOutputOptions(remove, ['organization_id', 'domain', 'deleted'])
  addRemoteOptions(remove)
}

async function runRemove(text: string, domain: string, options: ChangeOptions & OverrideOption): Promise<void> {
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    await confirm(`Remove ${domain} from ${name}?`, options)
    const removed = await client.organizations.removeDomain(organization_id, domain, { signal, dryRun, override })
    await printOne(removed, options)
    tell(dryRun ? 'Nothing was changed. The domain can be removed.' : `Removed ${removed.domain} from ${name}.`)
  })
}
