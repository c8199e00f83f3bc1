"""An internal team reads a tenant's books over gRPC: payments page by page, an error, a trial balance.

It needs python3-grpcio and python3-protobuf of Debian, or grpcio and protobuf of PyPI, and the classes of generate.sh.
"""

import os
import pathlib
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("GEN") or str(ROOT / ".cache" / "python"))

import google  # noqa: E402

# The classes of google.rpc and google.api lie beside those of google.protobuf.
google.__path__.append(str(pathlib.Path(sys.path[0]) / "google"))

import grpc  # noqa: E402
from google.rpc import error_details_pb2, status_pb2  # noqa: E402
from paylink.ledger.v1 import ledger_pb2 as ledger  # noqa: E402

SERVICE = "/paylink.ledger.v1.LedgerService/"
DEADLINE_SECONDS = 5
PAGE = 100


class Ledger:
    """The RPCs of the ledger that this program calls, for one tenant in test mode."""

    def __init__(self, channel, token, tenant):
        self._channel = channel
        self._metadata = (
            ("authorization", f"Bearer {token}"),
            ("paylink-tenant", tenant),
            ("paylink-mode", "test"),
        )

    def call(self, name, request):
        """Returns the answer of an RPC. Throws grpc.RpcError after five seconds at most."""
        rpc = self._channel.unary_unary(
            SERVICE + name,
            request_serializer=type(request).SerializeToString,
            response_deserializer=getattr(ledger, f"{name}Response").FromString,
        )
        return rpc(request, metadata=self._metadata, timeout=DEADLINE_SECONDS)


def reason_of(error):
    """The code of the contract, for example payment_not_found; None if the call reached no service."""
    found = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    if found is None:
        return None
    for detail in status_pb2.Status.FromString(found).details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return info.reason
    return None


def read_books(books):
    count, sums, after = 0, {}, None
    while True:
        request = ledger.ListPaymentsRequest(**{"from": "2020-01-01", "to": "2099-12-31", "limit": PAGE})
        if after is not None:
            request.starting_after = after
        page = books.call("ListPayments", request)
        for payment in page.data:
            count += 1
            if payment.status == ledger.PAYMENT_STATUS_SUCCEEDED:
                sums[payment.gross_currency] = sums.get(payment.gross_currency, 0) + payment.gross_amount
        if not page.has_more:
            break
        after = page.next_cursor
    print(f"payments  {count}")
    for currency, total in sums.items():
        print(f"          {total} {currency} succeeded")

    # An unknown payment: the refusal has its reason as a code that a program can rely on.
    try:
        books.call("GetPayment", ledger.GetPaymentRequest(id="pay_00000000000000000000000000"))
    except grpc.RpcError as error:
        print(f"unknown   {reason_of(error)}")

    balances = books.call("GetTrialBalance", ledger.GetTrialBalanceRequest()).balances
    for line in balances:
        print(f"balance   {line.account} {line.currency}: debit {line.debit}, credit {line.credit}")
    for currency in {line.currency for line in balances}:
        difference = sum(line.debit - line.credit for line in balances if line.currency == currency)
        if difference != 0:
            raise SystemExit(f"internal: the books do not balance: {difference} {currency}")
    print("          debits equal credits")


def core_token():
    file = pathlib.Path(os.environ.get("DATA_DIR") or ".data") / "core-token"
    return os.environ.get("CORE_TOKEN") or file.read_text().strip()


def core_url():
    url, address = os.environ.get("CORE_URL"), os.environ.get("CORE_ADDRESS")
    if not url and address:
        url = f"http://{address}"
        print(f"internal: CORE_ADDRESS is the former name of CORE_URL: set CORE_URL={url} in its place.", file=sys.stderr)
    return urllib.parse.urlsplit(url or "http://localhost:50051")


def open_channel():
    url = core_url()
    is_secure = url.scheme == "https"
    address = url.netloc if url.port else f"{url.netloc}:{443 if is_secure else 80}"
    if is_secure:
        return grpc.secure_channel(address, grpc.ssl_channel_credentials())
    return grpc.insecure_channel(address)


def main():
    tenant = os.environ.get("TENANT")
    if not tenant:
        raise SystemExit("internal: TENANT must be set; see examples/README.md.")
    with open_channel() as channel:
        try:
            read_books(Ledger(channel, core_token(), tenant))
        except grpc.RpcError as error:
            reason = reason_of(error)
            raise SystemExit(f"internal: {error.code().name}: {error.details()}{f' ({reason})' if reason else ''}")


if __name__ == "__main__":
    main()
