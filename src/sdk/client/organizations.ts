import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions, ManagedChangeOptions, WriteOptions } from './options.ts'
import type {
  AddOrganizationDomain,
  Branding,
  ConfirmationOfBrandingDeletion,
  ConfirmationOfDomainDeletion,
  ConfirmationOfOrganizationDeletion,
  ConfirmationOfSetupLinkRevocation,
  CreateOrganization,
  CreateOrganizationSetupLink,
  NewOrganizationSetupLink,
  Organization,
  OrganizationDomain,
  OrganizationSetupLink,
  SetBranding,
  UpdateOrganization,
} from './types.ts'

type OrganizationQuery = QueryOf<'GET /organizations'>
type Override = Pick<ManagedChangeOptions, 'override'>
/** Options of the deletion of an organization. */
export type OrganizationDeletionOptions = ManagedChangeOptions & {
  /** Deletes its users and what else belongs to it, too. Missing: the organization must be empty. */
  users?: 'delete' | undefined
  /** Called while users are left. */
  onProgress?: ((progress: { deleted: number; users_left: number }) => void) | undefined
}
export type OrganizationPage = { organizations: Organization[]; next: string | undefined }

/** Organizations, to which users, groups, keys and connections belong. */
export class Organizations {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Yields every organization that matches the query, page by page.
   *
   * ```ts
   * await client.organizations.create({ name: 'Acme' })
   * for await (const { name, user_count } of client.organizations.list({ q: 'acm' })) console.log(name, user_count) // Acme 0
   * ```
   */
  list(
    query: Omit<OrganizationQuery, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Organization, void, undefined> {
    return this.#calls.pages('GET /organizations', { ...options, query })
  }

  /** Returns one page of organizations. `next` is the `cursor` of the following page. */
  async page(query: OrganizationQuery = {}, options: CallOptions = {}): Promise<OrganizationPage> {
    const { rows, next } = await this.#calls.page('GET /organizations', { ...options, query })
    return { organizations: rows, next }
  }

  create(body: CreateOrganization, options: CreateOptions = {}): Promise<Organization> {
    return this.#calls.call('POST /organizations', { ...options, body })
  }

  /** Returns the organization with this id. Throws `organization_not_found` if it does not exist. */
  get(organization_id: string, options: CallOptions = {}): Promise<Organization> {
    return this.#calls.call('GET /organizations/{organization_id}', { ...options, path: { organization_id } })
  }

  /** Changes an organization. Takes an id or an organization, and a patch or a function, like `users.update`. */
  update(
    organization: string | Organization,
    patch: Patch<Organization, UpdateOrganization>,
    options: ManagedChangeOptions = {},
  ): Promise<Organization> {
    const [organization_id, seen] = resourceOf(organization, 'organization_id')
    return change(patch, options, {
      seen,
      read: (options) => this.get(organization_id, options),
      write: (call) =>
        this.#calls.call('PATCH /organizations/{organization_id}', { ...call, path: { organization_id } }),
    })
  }

  /**
   * Deletes an organization to which nothing belongs. With `users: 'delete'` its users, who can be restored, and everything else that
   * belongs to it are deleted, too. `onProgress` is called while users are left.
   *
   * ```ts
   * const { organization_id } = await client.organizations.create({ name: 'Initech' })
   * const { user_count } = await client.organizations.delete(organization_id, { users: 'delete' })
   * console.log(user_count) // 0
   * ```
   */
  async delete(
    organization_id: string,
    { users, override, onProgress, ifMatch, ...options }: OrganizationDeletionOptions = {},
  ): Promise<ConfirmationOfOrganizationDeletion> {
    let deleted = 0
    for (let expected = ifMatch; ; expected = undefined) {
      const confirmation = await unlessGone(
        this.#calls.call('DELETE /organizations/{organization_id}', {
          ...options,
          path: { organization_id },
          query: { users, override },
          ifMatch: expected,
        }),
        options,
        (): ConfirmationOfOrganizationDeletion => ({ organization_id, deleted: true }),
      )
      deleted += confirmation.user_count ?? 0
      const { users_left } = confirmation
      if (users_left === undefined) return users === undefined ? confirmation : { ...confirmation, user_count: deleted }
      onProgress?.({ deleted, users_left })
    }
  }

  /** Returns the look of an organization. Members that are null are those of the product. */
  getBranding(organization_id: string, options: CallOptions = {}): Promise<Branding> {
    return this.#calls.call('GET /organizations/{organization_id}/branding', { ...options, path: { organization_id } })
  }

  /**
   * Replaces the whole look of an organization: a member that is left out is that of the product.
   *
   * ```ts
   * const { organization_id } = await client.organizations.create({ name: 'Hooli' })
   * const { name } = await client.organizations.replaceBranding(organization_id, { name: 'Hooli', accent_color: '#7a1f5c' })
   * console.log(name) // Hooli
   * ```
   */
  replaceBranding(organization_id: string, body: SetBranding, options: ChangeOptions = {}): Promise<Branding> {
    const path = { organization_id }
    return this.#calls.call('PUT /organizations/{organization_id}/branding', { ...options, path, body })
  }

  /** Removes the look of an organization, which is then that of the product. */
  deleteBranding(organization_id: string, options: ChangeOptions = {}): Promise<ConfirmationOfBrandingDeletion> {
    const path = { organization_id }
    return this.#calls.call('DELETE /organizations/{organization_id}/branding', { ...options, path })
  }

  /**
   * Adds a domain. The answer has the TXT record that its owner publishes; `verifyDomain` looks for it. `verified: true` vouches for
   * the domain instead.
   *
   * ```ts
   * const { organization_id } = await client.organizations.create({ name: 'Umbrella' })
   * const domain = await client.organizations.addDomain(organization_id, { domain: 'umbrella.example' })
   * console.log(domain.record_name) // _rollbook.umbrella.example
   * ```
   */
  addDomain(
    organization_id: string,
    body: AddOrganizationDomain,
    { override, ...options }: CreateOptions & Override = {},
  ): Promise<OrganizationDomain> {
    const [path, query] = [{ organization_id }, { override }]
    return this.#calls.call('POST /organizations/{organization_id}/domains', { ...options, path, query, body })
  }

  /** Asks name servers for the record of a domain. Throws `domain_not_proved` if they have none, or another one. */
  verifyDomain(organization_id: string, domain: string, options: CreateOptions = {}): Promise<OrganizationDomain> {
    const path = { organization_id, domain }
    return this.#calls.call('POST /organizations/{organization_id}/domains/{domain}/verify', { ...options, path })
  }

  /** Returns the setup links of an organization, the newest first. */
  setupLinks(organization_id: string, options: CallOptions = {}): Promise<OrganizationSetupLink[]> {
    const path = { organization_id }
    return this.#calls.call('GET /organizations/{organization_id}/setup-links', { ...options, path })
  }

  /**
   * Creates a link with which the IT administrator of a customer sets up domains, sign-in and provisioning without an account. The
   * address, `url`, is returned only now.
   *
   * ```ts
   * const customer = await client.organizations.create({ name: 'Initech' })
   * const link = await client.organizations.createSetupLink(customer.organization_id, { features: ['domains', 'connection'] })
   * console.log(link.state) // active
   * ```
   */
  createSetupLink(
    organization_id: string,
    body: CreateOrganizationSetupLink,
    options: CreateOptions = {},
  ): Promise<NewOrganizationSetupLink> {
    const path = { organization_id }
    return this.#calls.call('POST /organizations/{organization_id}/setup-links', { ...options, path, body })
  }

  /** Ends a setup link at once. What was set up with it stays. */
  revokeSetupLink(
    organization_id: string,
    setup_link_id: string,
    options: WriteOptions = {},
  ): Promise<ConfirmationOfSetupLinkRevocation> {
    return this.#calls.call('DELETE /organizations/{organization_id}/setup-links/{setup_link_id}', {
      ...options,
      path: { organization_id, setup_link_id },
    })
  }

  /** Removes a domain, verified or not. */
  removeDomain(
    organization_id: string,
    domain: string,
    { override, ...options }: WriteOptions & Override = {},
  ): Promise<ConfirmationOfDomainDeletion> {
    return unlessGone(
      this.#calls.call('DELETE /organizations/{organization_id}/domains/{domain}', {
        ...options,
        path: { organization_id, domain },
        query: { override },
      }),
      options,
      () => ({ organization_id, domain, deleted: true }),
    )
  }
}
