/** `rollbook organizations`: manages organizations, their domains and setup links. */
import type { Command } from 'commander'
import { examples } from '../terminal/examples.ts'
import { addOrganizationsDelete } from './delete.ts'
import { addDomains } from './domains.ts'
import { addOrganizationsGet, addOrganizationsList } from './list.ts'
import { addSetupLinks } from './setup-links.ts'
import { addOrganizationsCreate, addOrganizationsUpdate } from './write.ts'

const commands = [
  addOrganizationsList,
  addOrganizationsGet,
  addOrganizationsCreate,
  addOrganizationsUpdate,
  addOrganizationsDelete,
  addDomains,
  addSetupLinks,
]

export function addOrganizations(program: Command): void {
  const organizations = program
    .command('organizations')
    .summary('manage organizations')
    .description(
      'Manages organizations, such as customers whose people are your users. An organization is identified by its id or its name.',
    )
  examples(organizations, [
    ['rollbook organizations create Acme --external-id crm-4711', 'create an organization'],
    ['rollbook organizations domains add Acme acme.example', 'show the record that proves its domain'],
  ])
  for (const add of commands) add(organizations)
}
