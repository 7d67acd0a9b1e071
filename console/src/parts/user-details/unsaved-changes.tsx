import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { forget } from '../../shortcuts/typed-ahead.ts'

const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

/** Asks before unsaved changes are lost by leaving the page or the console. */
export function UnsavedChanges({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  // A shortcut may have caused the navigation: the next keys answer this question.
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
