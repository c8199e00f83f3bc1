// An internal team reads a tenant's books over gRPC: payments page by page, an error, a trial balance.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	ledger "example.com/books/gen/paylink/ledger/v1"
)

const (
	deadline = 5 * time.Second
	pageSize = int32(100)
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "internal: %s\n", failureText(err))
		os.Exit(1)
	}
}

func run() error {
	tenant := os.Getenv("TENANT")
	if tenant == "" {
		return errors.New("TENANT must be set; see examples/README.md.")
	}
	token, err := coreToken()
	if err != nil {
		return err
	}
	connection, err := dial()
	if err != nil {
		return err
	}
	defer connection.Close()
	caller := metadata.AppendToOutgoingContext(context.Background(),
		"authorization", "Bearer "+token, "paylink-tenant", tenant, "paylink-mode", "test")
	return readBooks(caller, ledger.NewLedgerServiceClient(connection))
}

func readBooks(caller context.Context, books ledger.LedgerServiceClient) error {
	count, sums := 0, map[string]int64{}
	size := pageSize
	var after *string
	for {
		page, err := within(caller, func(ctx context.Context) (*ledger.ListPaymentsResponse, error) {
			from, to := "2020-01-01", "2099-12-31"
			return books.ListPayments(ctx, &ledger.ListPaymentsRequest{
				From: &from, To: &to, Limit: &size, StartingAfter: after})
		})
		if err != nil {
			return err
		}
		for _, payment := range page.Data {
			count++
			if payment.Status == ledger.PaymentStatus_PAYMENT_STATUS_SUCCEEDED {
				sums[payment.GrossCurrency] += payment.GrossAmount
			}
		}
		if !page.HasMore {
			break
		}
		after = page.NextCursor
	}
	fmt.Printf("payments  %d\n", count)
	for currency, sum := range sums {
		fmt.Printf("          %d %s succeeded\n", sum, currency)
	}

	// An unknown payment: the refusal has its reason as a code that a program can rely on.
	_, err := within(caller, func(ctx context.Context) (*ledger.GetPaymentResponse, error) {
		return books.GetPayment(ctx, &ledger.GetPaymentRequest{Id: "pay_00000000000000000000000000"})
	})
	fmt.Printf("unknown   %s\n", reasonOf(err))

	answer, err := within(caller, func(ctx context.Context) (*ledger.GetTrialBalanceResponse, error) {
		return books.GetTrialBalance(ctx, &ledger.GetTrialBalanceRequest{})
	})
	if err != nil {
		return err
	}
	differences := map[string]int64{}
	for _, line := range answer.Balances {
		fmt.Printf("balance   %s %s: debit %d, credit %d\n", line.Account, line.Currency, line.Debit, line.Credit)
		differences[line.Currency] += line.Debit - line.Credit
	}
	for currency, difference := range differences {
		if difference != 0 {
			return fmt.Errorf("the books do not balance: %d %s", difference, currency)
		}
	}
	fmt.Println("          debits equal credits")
	return nil
}

// within gives a call five seconds.
func within[Answer any](caller context.Context, call func(context.Context) (Answer, error)) (Answer, error) {
	ctx, cancel := context.WithTimeout(caller, deadline)
	defer cancel()
	return call(ctx)
}

// reasonOf returns the code of the contract, for example payment_not_found, or "" if the call reached no service.
func reasonOf(err error) string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.Reason
		}
	}
	return ""
}

func failureText(err error) string {
	state, ok := status.FromError(err)
	if !ok {
		return err.Error()
	}
	if reason := reasonOf(err); reason != "" {
		return fmt.Sprintf("%s: %s (%s)", state.Code(), state.Message(), reason)
	}
	return fmt.Sprintf("%s: %s", state.Code(), state.Message())
}

// dial opens a connection to the core: in cleartext by http, and by https to one whose certificate the system trusts.
func dial() (*grpc.ClientConn, error) {
	core, err := url.Parse(coreURL())
	if err != nil {
		return nil, err
	}
	secrecy, port := insecure.NewCredentials(), "80"
	if core.Scheme == "https" {
		secrecy, port = credentials.NewTLS(nil), "443"
	}
	return grpc.Dial(net.JoinHostPort(core.Hostname(), or(core.Port(), port)), grpc.WithTransportCredentials(secrecy))
}

func coreURL() string {
	address := os.Getenv("CORE_ADDRESS")
	if text := os.Getenv("CORE_URL"); text != "" || address == "" {
		return or(text, "http://localhost:50051")
	}
	fmt.Fprintf(os.Stderr, "internal: CORE_ADDRESS is the former name of CORE_URL: set CORE_URL=http://%s in its place.\n", address)
	return "http://" + address
}

func coreToken() (string, error) {
	if token := os.Getenv("CORE_TOKEN"); token != "" {
		return token, nil
	}
	text, err := os.ReadFile(filepath.Join(or(os.Getenv("DATA_DIR"), ".data"), "core-token"))
	return strings.TrimSpace(string(text)), err
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}
