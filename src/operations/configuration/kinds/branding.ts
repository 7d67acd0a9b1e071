import {
  type BrandingSettings,
  brandingMembers,
  brandingSettingsSchema,
} from '../../../access/pages/branding/schema.ts'
import * as branding from '../../../access/pages/branding/service.ts'
import { wholeMappings } from '../../../core/configuration-file.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { setManagedByFile } from '../../../store/managed-by-file.ts'
import type { Kind, Members, Wanted } from '../kind.ts'
import { isSame } from '../plan.ts'
import { expectedOf } from './members.ts'

const id = wholeMappings.branding as string
const { sizes: _, ...initial } = branding.unset

/** The branding is one object, and is missing while it is as at the beginning. */
export const brandingKind: Kind = {
  section: 'branding',
  needs: 'branding:write',
  schema: { ...brandingSettingsSchema, required: [] },
  renames: false,
  nameKey: (name) => name,

  async list(db) {
    const { stored, version, managed_by } = await branding.findStored(db)
    const { sizes: _, ...settings } = stored
    const members = inOrder(settings)
    if (managed_by === null && isSame(members, initial)) return []
    return [{ id, name: id, members, managed_by, version }]
  },

  initial: () => initial,

  abridged: (members) => branding.recordable(members as BrandingSettings),

  normalize: ({ members }) => inOrder({ ...initial, ...members }),

  async prepare(members) {
    const { stored } = await branding.checkBranding(members)
    const { sizes, ...settings } = stored
    return { members: settings, prepared: { secrets: sizes } }
  },

  async create(ctx, { wanted, members }) {
    await replace(ctx, wanted, { members, version: undefined })
    return { id }
  },

  update: (ctx, { version }, { wanted, members }) => replace(ctx, wanted, { members, version }),

  async remove(ctx, { version }) {
    await branding.replace(ctx, { stored: branding.unset, expected: expectedOf(version) })
    await setManagedByFile(ctx.db, 'branding', [id], false)
  },
}

type Replacement = { members: Members; version: number | undefined }

async function replace(ctx: ChangeContext, { prepared }: Wanted, { members, version }: Replacement): Promise<void> {
  const sizes = prepared.secrets as branding.Stored['sizes']
  const stored = { ...(members as BrandingSettings), sizes }
  await branding.replace(ctx, { stored, expected: expectedOf(version) })
}

function inOrder(members: Members): Members {
  return Object.fromEntries(brandingMembers.map((name) => [name, members[name]]))
}
