/** Converts the users of other systems into rows for `POST /users/import`, and reports what cannot be converted. */

import type { Source, SourceOptions } from '../reading/source.ts'
import type { SourceName } from '../reading/source-names.ts'
import { readAuth0 } from './auth0.ts'
import { readAuthentik } from './authentik.ts'
import { carryOver } from './carry.ts'
import { readDjango } from './django.ts'
import { readFirebase } from './firebase.ts'
import { readKeycloak, readKeycloakOrganizations } from './keycloak.ts'
import { readKratos } from './kratos.ts'
import { readLdif } from './ldif.ts'
import { readLldap } from './lldap.ts'
import { readMappedCsv, readMappedJson } from './mapped.ts'

export { readMemberships } from './memberships.ts'

import { readOrganizations } from './organizations.ts'
import type { Found } from './person.ts'
import { readPocketbase } from './pocketbase.ts'
import { readSupabase } from './supabase.ts'
import { readSystem } from './systems.ts'
import { readZitadel, readZitadelOrganizations } from './zitadel.ts'

export { inputFrom } from '../reading/files.ts'
export { Report, type ReportLine } from '../reading/report.ts'
export type {
  Converted,
  ImportRow,
  LeftOut,
  Memberships,
  Source,
  SourceOptions,
  SourceOrganization,
} from '../reading/source.ts'
export { type SourceName, sourceNames } from '../reading/source-names.ts'

export const sources: Readonly<Record<SourceName, Source>> = {
  keycloak: source('Keycloak', readKeycloak, { areIn: 'export', read: readKeycloakOrganizations }),
  auth0: source('Auth0', readAuth0, { areIn: 'file', read: readOrganizations }),
  supabase: source('Supabase', readSupabase),
  kratos: source('Ory Kratos', readKratos),
  authentik: source('authentik', readAuthentik),
  firebase: source('Firebase Authentication', readFirebase),
  django: source('Django', readDjango),
  lldap: source('LLDAP', readLldap),
  pocketbase: source('PocketBase', readPocketbase),
  entra: source('Entra ID', readSystem('entra')),
  'google-workspace': source('Google Workspace', readSystem('google-workspace')),
  okta: source('Okta', readSystem('okta')),
  clerk: source('Clerk', readSystem('clerk'), { areIn: 'file', read: readOrganizations }),
  fusionauth: source('FusionAuth', readSystem('fusionauth')),
  wordpress: source('WordPress', readSystem('wordpress')),
  discourse: source('Discourse', readSystem('discourse')),
  gitlab: source('GitLab', readSystem('gitlab')),
  zitadel: source('Zitadel', readZitadel, { areIn: 'export', read: readZitadelOrganizations }),
  logto: source('Logto', readSystem('logto'), { areIn: 'either', read: readOrganizations }),
  'better-auth': source('Better Auth', readSystem('better-auth'), { areIn: 'either', read: readOrganizations }),
  scim: source('SCIM', readSystem('scim')),
  ldif: source('an LDAP directory', readLdif),
  csv: source('a CSV file with a mapping', readMappedCsv),
  json: source('a JSON file with a mapping', readMappedJson),
}

function source(
  title: string,
  read: (input: AsyncIterable<Uint8Array>, options: SourceOptions) => AsyncIterable<Found>,
  organizations?: NonNullable<Source['organizations']>,
): Source {
  const users: Source['read'] = (input, options) => carryOver(read(input, options), options, title)
  return { title, read: users, ...(organizations && { organizations }) }
}
