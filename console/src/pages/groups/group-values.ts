/** The values in the form of a group. */
import type { CreateGroup, Group, UpdateGroup } from 'rollbook/client'

/** `role` and `external_id` are empty if the group has none. */
export type GroupValues = { name: string; description: string; role: string; external_id: string }

export const noValues: GroupValues = { name: '', description: '', role: '', external_id: '' }

export function valuesOf({ name, description, role, external_id }: Group): GroupValues {
  return { name, description, role: role ?? '', external_id: external_id ?? '' }
}

export function bodyOf({ name, description, role, external_id }: GroupValues): CreateGroup {
  return { name, description, role: role || null, external_id: external_id || null }
}

/** Returns only what differs from the group as the form was filled. */
export function changesOf(values: GroupValues, before: Group): UpdateGroup {
  return Object.fromEntries(
    Object.entries(bodyOf(values)).filter(([name, value]) => value !== before[name as keyof CreateGroup]),
  )
}

/** Whether the form's values differ between versions of the group. A change of members changes only the ETag. */
export function isOvertaken(before: Group, now: Group): boolean {
  return Object.keys(changesOf(valuesOf(now), before)).length > 0
}
