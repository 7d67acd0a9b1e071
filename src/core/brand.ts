/** The look of the product on pages and in messages, ready to be shown. The room access/pages/branding makes it from what is stored. */

/** A file that is served under an address that changes with its content. */
export type BrandFile = {
  name: string
  type: string
  content: Buffer
  hash: string
  /** The organization whose look it belongs to. Missing: the product's. */
  organization_id?: string
}
export type BrandImage = BrandFile & {
  /** Only their ratio matters for an SVG. */
  width: number
  height: number
}

/** Colours for links and buttons that can be read on the pages of a scheme. Text on a button is white. */
export type Accent = { light: string; dark: string; action: string; actionHover: string }

export type BrandLinks = { terms: string | undefined; privacy: string | undefined; support: string | undefined }

export type Brand = {
  /** Differs whenever anything else does. */
  tag: string
  /** The name of the product. */
  name: string
  logo: BrandImage | undefined
  /** Replaces the logo on dark ground. */
  logoDark: BrandImage | undefined
  /** The first letter of the name in the accent colour, where there is no logo. Undefined: the usual one. */
  mark: BrandFile | undefined
  /** The style sheet of the accent colour. */
  sheet: BrandFile | undefined
  accent: Accent | undefined
  links: BrandLinks
}

/** Without branding. */
export function plainBrand(productName: string): Brand {
  const links = { terms: undefined, privacy: undefined, support: undefined }
  const none = { logo: undefined, logoDark: undefined, mark: undefined, sheet: undefined, accent: undefined }
  return { tag: '', name: productName, ...none, links }
}

export type BrandSource = {
  /**
   * As of half a second ago at most; what this node has changed at once.
   *
   * @param organizationId whose look it is; what it leaves out is the product's
   */
  current(organizationId?: string): Promise<Brand>
  /** Whether an organization has a look of its own. */
  areThereOthers(): Promise<boolean>
  /** As it was read last, for pages that must not depend on the store: the product's if that of the organization was not read yet. */
  known(organizationId?: string): Brand
}
