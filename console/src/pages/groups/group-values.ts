/** The values in the form of a group. */
import type { CreateGroup, Group, UpdateGroup } from 'rollbook/client'

/** `role`, `external_id` and `organization`, which is an ID, are empty if the group has none. */
export type GroupValues = { name: string; description: string; role: string; external_id: string; organization: string }

export const noValues: GroupValues = { name: '', description: '', role: '', external_id: '', organization: '' }

export function valuesOf({ name, description, role, external_id, organization_id = '' }: Group): GroupValues {
  return { name, description, role: role ?? '', external_id: external_id ?? '', organization: organization_id }
}

export function bodyOf({ name, description, role, external_id, organization }: GroupValues): CreateGroup {
  return {
    name,
    description,
    role: role || null,
    external_id: external_id || null,
    ...(organization !== '' && { organization_id: organization }),
  }
}

/** Returns only what differs from the group as the form was filled. */
export function changesOf(values: GroupValues, before: Group): UpdateGroup {
  return Object.fromEntries(
    Object.entries({ ...bodyOf(values), organization_id: values.organization || null }).filter(
      ([name, value]) => value !== (before[name as keyof CreateGroup] ?? null),
    ),
  )
}

/** Whether the form's values differ between versions of the group. A change of members changes only the ETag. */
export function isOvertaken(before: Group, now: Group): boolean {
  return Object.keys(changesOf(valuesOf(now), before)).length > 0
}
