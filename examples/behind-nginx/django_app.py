import sys
from urllib.parse import unquote

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, JsonResponse
from django.urls import path


def known_callers_only(get_response):
    def middleware(request):
        user = request.headers.get("Remote-User") or request.headers.get("Remote-Client")
        if not user:
            return HttpResponse(status=401)
        request.caller = unquote(user)
        return get_response(request)

    return middleware


def whoami(request):
    return JsonResponse({"user": request.caller, "id": request.headers.get("Remote-User-Id", "")})


def reports(request):
    return JsonResponse(["Apples picked"], safe=False)


urlpatterns = [path("whoami", whoami), path("reports", reports)]

if __name__ == "__main__":
    settings.configure(
        ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], MIDDLEWARE=[f"{__name__}.known_callers_only"]
    )
    execute_from_command_line(sys.argv)
