import { useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { etagOf, RollbookError } from 'rollbook/client'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { patchBetween, typedSince } from './changes.ts'
import { useFieldFaults } from './use-field-faults.ts'
import { useOtherVersion } from './use-other-version.ts'

type Options<Version extends object, Values extends object, Extra extends object> = {
  /** The user as read last. */
  version: Version
  valuesOf: (version: Version) => Values
  /** Fields that are sent with a change and are no details, with their initial values. */
  extra: Extra
  read: () => Promise<Version>
  save: (patch: Partial<Values>, extra: Extra, etag: string | undefined) => Promise<Version>
  /** The key of the cached user. */
  queryKey: readonly unknown[]
  onDirty: (isDirty: boolean) => void
}

/** `sent`: the values of the form at that time. */
type Saving<Values, Extra> = { patch: Partial<Values>; extra: Extra; etag: string | undefined; sent: Values }

/** A form for details of a user. It sends only changed values, and compares versions after a concurrent change. */
export function useDetailsForm<Version extends object, Values extends object, Extra extends object>({
  version,
  valuesOf,
  extra: noExtra,
  read,
  save,
  queryKey,
  onDirty,
}: Options<Version, Values, Extra>) {
  type Fields = Values & Extra
  const { t } = useLingui()
  const queries = useQueryClient()
  /** The version the form was filled with. It stays while there are unsaved changes, even if the user is read again. */
  const [base, setBase] = useState(version)
  const [theirs, setTheirs] = useState<Version | undefined>()
  const form = useForm<Fields>({ initialValues: { ...valuesOf(version), ...noExtra } })
  const extraIn = (fields: Fields) => pick(fields, noExtra)
  const valuesIn = (fields: Fields) => pick(fields, valuesOf(base))
  const mine = valuesIn(form.values)
  const patch = patchBetween(valuesOf(base), mine)
  const isDirty = Object.keys(patch).length > 0

  function fill(next: Version, values = valuesOf(next)) {
    setBase(next)
    setTheirs(undefined)
    form.setValues({ ...values, ...noExtra })
    form.clearErrors()
  }
  const { submit, isPending, error, reset } = useSubmit(
    ({ patch, extra, etag }: Saving<Values, Extra>) => save(patch, extra, etag),
    {
      stale: [['users']],
      onSuccess(saved, { sent }) {
        fill(saved, typedSince(sent, valuesIn(form.getValues()), valuesOf(saved)))
        queries.setQueryData(queryKey, saved)
        showToast({ message: t`Saved.` })
      },
    },
  )
  const isStale = error instanceof RollbookError && error.code === 'precondition_failed'
  const hasMore = useFieldFaults(form, error, Object.keys(form.values))
  const send = (changes: Partial<Values>, from: Version, sent: Values) =>
    submit({ patch: changes, extra: extraIn(form.values), etag: etagOf(from), sent })

  const report = useRef(onDirty)
  report.current = onDirty
  useEffect(() => report.current(isDirty), [isDirty])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the user was read again, not at each key.
  useEffect(() => {
    if (!isDirty && version !== base) fill(version)
  }, [version])
  useOtherVersion(isStale, {
    read,
    concerns: (other) => Object.keys(patchBetween(valuesOf(base), valuesOf(other))).length > 0,
    onTheirs: setTheirs,
    onSame(other) {
      setBase(other)
      send(patch, other, mine)
    },
    reset,
  })

  return {
    form,
    base,
    patch,
    isDirty,
    etag: etagOf(base),
    isPending: isPending || (isStale && theirs === undefined),
    /** An error that is not shown at a field. */
    problem: hasMore && !isStale ? error : null,
    /** Both versions, if the same fields were changed elsewhere. */
    conflict: isStale && theirs !== undefined ? { before: valuesOf(base), theirs: valuesOf(theirs), mine } : undefined,
    save() {
      if (isDirty) send(patch, base, mine)
    },
    discard() {
      fill(version)
      reset()
    },
    saveMerged(merged: Values) {
      if (theirs === undefined) return
      const rest = patchBetween(valuesOf(theirs), merged)
      form.setValues(merged as Partial<Fields>)
      setBase(theirs)
      setTheirs(undefined)
      reset()
      if (Object.keys(rest).length > 0) return send(rest, theirs, merged)
      fill(theirs)
      queries.setQueryData(queryKey, theirs)
    },
    backToForm() {
      setTheirs(undefined)
      reset()
    },
  }
}

/** Returns the members of `whole` that `like` has. */
function pick<Part extends object>(whole: Part, like: Part): Part {
  return Object.fromEntries(Object.keys(like).map((name) => [name, whole[name as keyof Part]])) as Part
}
