import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { forget } from '../shortcuts/typed-ahead.ts'

const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

/** Asks before what was typed is lost: on the way to another page of the console, or out of it. */
export function UnsavedChanges({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  // A shortcut may have led away: the next keys answer the question.
  useEffect(() => {
    if (status === 'blocked') forget()
  }, [status])
  if (!isDirty) return null
  return (
    <Suspense fallback={null}>
      <LeaveDialog isOpen={status === 'blocked'} onStay={() => reset?.()} onLeave={() => proceed?.()} />
    </Suspense>
  )
}
